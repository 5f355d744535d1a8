"""Notebooks as pages of the site: text, code, outputs; interactive figures with a copy of Plotly that comes along."""

import json
import re
from pathlib import Path
from typing import Any

import nbformat
from nbconvert import MarkdownExporter

PLOTLY = "application/vnd.plotly.v1+json"
HEADER = """<div class="notebook-links" markdown>[Download this notebook]({name}.ipynb){{ download }} and run it with
`jupyter lab`, or read on: the outputs below are those of the last run.</div>
"""
SCRIPT = '<script src="../assets/plotly.min.js"></script>\n'


def page_of(path: Path) -> dict[str, str | bytes]:
    """The page of a notebook and its pictures, by their places beside it."""
    notebook = nbformat.read(path, as_version=4)
    figures: dict[str, str] = {}
    for cell in notebook.cells:
        cell.outputs = [wrapped(one) for one in cell.get("outputs", [])]
        for output in cell.outputs:
            if PLOTLY in output.get("data", {}):
                mark = f"FIGURE-{len(figures)}"
                figures[mark] = figure_html(f"{path.stem}-{len(figures)}", output.data[PLOTLY])
                output.data = nbformat.NotebookNode({"text/markdown": mark})
    text, resources = MarkdownExporter().from_notebook_node(notebook)
    for mark, html in figures.items():
        text = re.sub(rf"\b{mark}\b", lambda _, html=html: html, text)
    title, _, rest = text.lstrip().partition("\n")
    script = SCRIPT if figures else ""
    page = f"{title}\n\n{HEADER.format(name=path.stem)}\n{script}{tidy(rest)}"
    return {f"{path.stem}.md": page, **resources.get("outputs", {})}


def wrapped(output: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Printed text as a block whose long lines wrap; anything else as it is."""
    if output.output_type != "stream":
        return output
    block = f"``` {{ .text .output }}\n{output.text.rstrip()}\n```"
    return nbformat.v4.new_output("display_data", {"text/markdown": block})


def tidy(text: str) -> str:
    """Tables of pandas without their own styles, each in a box that scrolls on a phone."""
    text = re.sub(r"<style scoped>.*?</style>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r'<table border="1" class="dataframe">', "<table>", text)
    return re.sub(
        r"<div>\s*<table>(.*?)</table>\s*(<p>.*?</p>\s*)?</div>",
        r'<div class="frame"><table>\1</table></div>',
        text,
        flags=re.DOTALL,
    )


def figure_html(name: str, data: dict[str, Any]) -> str:
    """A figure drawn by the copy of Plotly that comes with the site; nothing is asked of any other host."""
    layout = page_layout(dict(data.get("layout") or {}))
    packed = json.dumps([data["data"], layout]).replace("</", "<\\/")
    return (
        f'<div class="figure" id="{name}" style="min-height: {layout["height"]}px"></div>\n'
        f"<script>(function () {{ const [data, layout] = {packed}; "
        f'Plotly.newPlot("{name}", data, layout, {{responsive: true, displayModeBar: false}}); }})();</script>'
    )


def page_layout(layout: dict[str, Any]) -> dict[str, Any]:
    """A layout that fits a phone: no width of its own, margins as narrow as labels allow, the legend above the axes."""
    layout.pop("width", None)
    axes = {name: {**axis, "automargin": True} for name, axis in layout.items() if re.match(r"[xy]axis", name)}
    return {
        **layout,
        **axes,
        "autosize": True,
        "height": layout.get("height", 400),
        "margin": {"l": 12, "r": 12, "t": 12, "b": 12},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
    }


def scripts() -> dict[str, bytes]:
    """Plotly as the package brings it."""
    import plotly

    return {"assets/plotly.min.js": (Path(plotly.__file__).parent / "package_data" / "plotly.min.js").read_bytes()}
