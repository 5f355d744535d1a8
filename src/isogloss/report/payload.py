"""What a page carries: data and Plotly itself, packed so that nothing in them can be read as HTML.

Plotly's script, the bundle with the kinds of traces that figures have, is compressed in the page and unpacked by the
browser: 0.7 MB a page. Data are packed once: large heat maps are drawn from the table that downloads are made of. The
page's policy allows only the scripts whose digests it names, so not even a flaw in escaping could run anything else.
"""

import base64
import gzip
import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from isogloss.report.asset import asset, asset_bytes
from isogloss.report.figures import Drawing
from isogloss.report.palette import light_to_dark, template

SCRIPTS = ("colourbar.js", "grids.js", "plots.js", "tables.js", "page.js")
PLOTLY = "plotly-cartesian.min.js.gz"  # plotly.js-cartesian-dist-min 4.1.1, as npm has it, compressed once
MANY = 100_000  # numbers in a frame from which the page keeps six digits of each; the run's folder has them all
FEW_VALUES = 0.5  # distinct values per row, up to which text is written as places in a list of them


@dataclass(frozen=True)
class Packed:
    """Text for a page and the digest by which its policy knows it."""

    text: str
    digest: str


@cache
def packed_plotly() -> Packed:
    """Plotly's script, compressed; the digest is of the script as it will run."""
    compressed = asset_bytes(PLOTLY)
    return Packed(base64.b64encode(compressed).decode(), digest(gzip.decompress(compressed).decode()))


def pack(text: str) -> str:
    """Text as base64 of gzip; the same text always gives the same bytes."""
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()


def digest(script: str) -> str:
    """A script's digest as a Content-Security-Policy writes it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


def policy(*digests: str) -> str:
    """Only the named scripts run; nothing is fetched from anywhere. Plotly writes its own styles, hence those."""
    allowed = " ".join(f"'{one}'" for one in digests) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


@cache
def page_policy() -> str:
    """The policy of every page that stands on ``base.html``, for the page itself and for a server's header."""
    return policy(digest(page_script()), digest(asset("theme.js")), packed_plotly().digest)


def page_script() -> str:
    """The page's own script."""
    return "\n".join(asset(name) for name in SCRIPTS)


@cache
def packed_settings() -> str:
    """What the script needs to draw in light and dark."""
    return pack(json.dumps({"light": template(dark=False), "dark": template(dark=True), "colours": light_to_dark()}))


def drawing_json(drawing: Drawing, frame: pd.DataFrame, name: str, *, whole: bool = False) -> str:
    """A figure for the page: panels, legends, facets, and its frame for downloads.

    ``whole`` leaves the cells of large heat maps in, for pages that have no frame to make them of.
    """
    content = {
        "name": name,
        "panels": [_panel(panel, whole=whole) for panel in drawing.panels],
        "grid": asdict(drawing.grid) if drawing.grid else None,
        "legends": [asdict(legend) for legend in drawing.legends],
        "facets": drawing.facets,
        "start": drawing.start,
        "linked": drawing.linked,
        "scale": asdict(drawing.scale) if drawing.scale else None,
        "columns": frame_columns(frame),
    }
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def table_json(frame: pd.DataFrame, latex: str, name: str) -> str:
    """A table's downloads."""
    content = {"name": name, "columns": frame_columns(frame), "latex": latex}
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def frame_columns(frame: pd.DataFrame) -> list[tuple[str, list[Any] | dict[str, list[Any]]]]:
    """A frame column by column, missing and infinite values as null; floats keep nine digits, or six of very many.

    Text that repeats itself is a list of its values and their places in it.
    """
    digits = 9 if frame.size <= MANY else 6
    return [(str(name), _column(frame[name], digits)) for name in frame.columns]


def _column(values: pd.Series, digits: int) -> list[Any] | dict[str, list[Any]]:
    if pd.api.types.is_integer_dtype(values.dtype) and not values.hasnans:
        return list(values.tolist())
    levels = values.unique()
    if len(levels) <= FEW_VALUES * len(values) and all(isinstance(level, str) for level in levels):
        places = {level: place for place, level in enumerate(levels)}
        return {"levels": list(levels), "places": values.map(places).tolist()}
    return [_plain(value, digits) for value in values.tolist()]


def _plain(value: Any, digits: int) -> Any:
    if isinstance(value, float):
        short = float(f"{value:.{digits}g}")
        return short if abs(short) < float("inf") else None
    return None if pd.isna(value) else value


def _panel(panel: go.Figure, *, whole: bool) -> dict[str, Any]:
    """A panel without a template: the page applies its own, light or dark."""
    if not whole:
        made_there = [trace for trace in panel.data if isinstance(trace, go.Heatmap) and "rows" in trace.meta]
        panel = go.Figure(panel) if made_there else panel
        panel.update_traces({"z": None}, selector=lambda trace: trace.type == "heatmap" and "rows" in trace.meta)
    content: dict[str, Any] = json.loads(panel.to_json())
    content["layout"].pop("template", None)
    return content
