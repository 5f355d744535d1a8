"""A result as the last line of a notebook's cell: its findings and its main figure, in a frame of its own."""

import html

from isogloss.report.contexts import Payloads, figure_section, finding_lines
from isogloss.report.page import render
from isogloss.report.palette import Colours
from isogloss.studies.result import Result

LINE = 58  # pixels a finding takes, about
FRAME = 300  # pixels around the figure


def notebook_html(result: Result) -> str:
    """A sandboxed frame with a small page inside, so that neither styles nor scripts touch the notebook."""
    payloads = Payloads(result.study)
    main = None
    if result.main_figure:
        figure = result.figures[result.main_figure]
        main = figure_section(figure, list(result.figures).index(figure.name) + 1, Colours.of([result]), payloads)
    page = render(
        "notebook.html",
        title=result.question,
        payloads=payloads.packed,
        question=result.question,
        findings=finding_lines(result.findings),
        main=main,
    )
    height = FRAME + LINE * len(result.findings) + (main.height * main.panels if main else 0)
    return (
        f'<iframe srcdoc="{html.escape(page)}" sandbox="allow-scripts allow-downloads" '
        f'title="{html.escape(result.question)}" style="width: 100%; height: {height}px; border: 0"></iframe>'
    )
