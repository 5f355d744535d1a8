"""A result as one self-contained page: words first, the figure that shows them, then a section per table or figure."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from isogloss import __version__
from isogloss.files import write_whole
from isogloss.report.asset import asset
from isogloss.report.contexts import (
    FigureSection,
    Payloads,
    TableSection,
    figure_section,
    finding_lines,
    table_section,
)
from isogloss.report.latex import table_to_latex
from isogloss.report.palette import Colours
from isogloss.report.payload import packed_plotly, packed_settings, page_policy, page_script
from isogloss.report.signature import signature_of
from isogloss.report.tooltips import Tooltips
from isogloss.studies.expectations.items import deviations_of
from isogloss.studies.result import Provenance, Result

MOST_REVISIONS = 3  # on the first screen


def write_page(
    result: Result, folder: Path | str, *, refresh: int = 0, home: str = "", colours: Colours | None = None
) -> Path:
    """Save ``result`` into ``folder`` and draw its page; the path of ``index.html``."""
    result.save(folder)
    for name, table in result.tables.items():
        write_whole(Path(folder) / "tables" / f"{name}.tex", table_to_latex(table, signature_of(result, table)))
    return draw_page(result, Path(folder), refresh=refresh, home=home, colours=colours)


def draw_page(
    result: Result, folder: Path, *, refresh: int = 0, home: str = "", colours: Colours | None = None
) -> Path:
    """Write only ``index.html``, for a run that is saved already."""
    path = folder / "index.html"
    write_whole(path, page_html(result, refresh=refresh, home=home, colours=colours))
    return path


def page_html(result: Result, *, refresh: int = 0, home: str = "", colours: Colours | None = None) -> str:
    """The page as text. ``refresh`` reloads it every this many seconds; ``home`` links back to a site's index."""
    colours = colours or Colours.of([result])
    payloads = Payloads(result.study)
    numbers = {name: place for place, name in enumerate(result.figures, start=1)}
    figures = {
        name: figure_section(figure, numbers[name], colours, payloads) for name, figure in result.figures.items()
    }
    tables = [
        table_section(table, place, payloads, signature_of(result, table))
        for place, table in enumerate(result.tables.values(), start=1)
    ]
    main = figures.pop(result.main_figure, None)
    sections: list[FigureSection | TableSection] = [*figures.values(), *tables]
    return render(
        "page.html",
        title=f"{result.question} ({result.study})",
        payloads=payloads.packed,
        refresh=refresh,
        home=home,
        study=result.study,
        question=result.question,
        date=date_of(result.provenance),
        findings=finding_lines(result.findings),
        main=main,
        sections=sections,
        links=_links(sections),
        facts=facts_of(result.provenance),
        deviations=deviations_of(result.study),
        origins=origins_of(result.provenance),
        command=result.provenance.command,
    )


def _links(sections: Sequence[FigureSection | TableSection]) -> list[tuple[str, str]]:
    """Where each section is and what it is called; a table named like a figure says that it is the table."""
    figures = {section.title for section in sections if not section.is_table}
    return [
        (section.id, f"{section.title} (table)" if section.is_table and section.title in figures else section.title)
        for section in sections
    ]


def render(name: str, *, title: str, payloads: Mapping[str, str], refresh: int = 0, **values: Any) -> str:
    """Fill a template that stands on ``base.html``: styles, scripts, their policy and the packed data."""
    script, theme, plotly = page_script(), asset("theme.js"), packed_plotly()
    return (
        templates()
        .get_template(name)
        .render(
            title=title,
            payloads=payloads,
            refresh=refresh,
            version=__version__,
            policy=page_policy(),
            script=script,
            theme_script=theme,
            css=asset("page.css"),
            plotly=plotly.text,
            settings=packed_settings(),
            tips=Tooltips(),
            **values,
        )
    )


@cache
def templates() -> Environment:
    """Jinja with escaping always on, and a missing value always an error."""
    return Environment(
        loader=PackageLoader("isogloss.report"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def facts_of(provenance: Provenance) -> list[tuple[str, str]]:
    """What the first screen says about where the numbers come from."""
    facts = [
        ("Model", _in_a_row(provenance.models)),
        ("Data", ", ".join(provenance.data)),
        ("Revision", _revisions(provenance)),
        ("Seeds", _seeds(provenance.seeds)),
        ("Number type", provenance.facts.get("dtype", "")),
        ("Fine-tuning", _presets(provenance)),
        ("Computing time", duration(provenance.seconds)),
    ]
    return [(name, value) for name, value in facts if value]


def _in_a_row(names: Sequence[str]) -> str:
    """Names in a row; semicolons between them where a name has a comma of its own (``qaa, 20 steps``)."""
    return ("; " if any("," in name for name in names) else ", ").join(names)


def _revisions(provenance: Provenance) -> str:
    """The first ones, shortened; all of them stand at the page's end."""
    short = list(dict.fromkeys(revision[:12] for revision in provenance.revisions.values()))
    more = len(short) - MOST_REVISIONS
    return ", ".join(short[:MOST_REVISIONS]) + (f" and {more} more" if more > 0 else "")


def _presets(provenance: Provenance) -> str:
    """Which preset of settings each task was fine-tuned with: ``preset xtreme``, ``pos: lab, nli: xtreme``."""
    names = set(provenance.presets.values())
    if len(names) == 1:
        return f"preset {names.pop()}"
    return ", ".join(f"{task}: {preset}" for task, preset in provenance.presets.items())


def origins_of(provenance: Provenance) -> list[tuple[str, str]]:
    """The rest of it, at the page's end: full revisions and versions."""
    return [
        *((f"Revision of {name}", revision) for name, revision in provenance.revisions.items()),
        *provenance.versions.items(),
        *([("Written", provenance.created)] if provenance.created else []),
    ]


def date_of(provenance: Provenance) -> str:
    """The day the result was made."""
    return provenance.created[:10]


def duration(seconds: float) -> str:
    """``372 -> '6 min 12 s'``; empty when it is not known."""
    hours, rest = divmod(round(seconds), 3600)
    minutes, left = divmod(rest, 60)
    if hours:
        return f"{hours} h {minutes} min"
    if minutes:
        return f"{minutes} min {left} s"
    return f"{left} s" if left else ""


def _seeds(seeds: tuple[int, ...]) -> str:
    in_a_row = len(seeds) > 2 and list(seeds) == list(range(seeds[0], seeds[0] + len(seeds)))
    return f"{seeds[0]} to {seeds[-1]}" if in_a_row else ", ".join(map(str, seeds))
