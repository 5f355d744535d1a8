"""What a drawer hands to the page, and what all drawers share: escaping, hover texts, axes."""

import html
import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from isogloss.report.palette import Style, scale
from isogloss.report.table_layout import format_number, least_reach
from isogloss.studies.result import Figure

PHONE_WIDTH = 72  # characters in a line of hover text
LONGEST_TICK = 24  # characters


@dataclass(frozen=True)
class LegendItem:
    """A name in a legend and how it is drawn; ``name`` is raw text."""

    name: str
    style: Style


@dataclass(frozen=True)
class Legend:
    """A legend of one column; clicking a name hides it in every panel."""

    title: str
    column: str
    items: tuple[LegendItem, ...]


@dataclass(frozen=True)
class Scale:
    """What the colours of values mean: the page shows it above the figure, a saved picture as Plotly's bar."""

    title: str
    low: str
    high: str
    colours: tuple[str, ...]


@dataclass(frozen=True)
class Grid:
    """How the browser makes the cells of a large heat map from the figure's frame: the columns, and how hovering
    words them. ``integers``: the values have no decimals."""

    x: str
    y: str
    value: str
    low: str
    high: str
    n: str
    across: str
    title: str
    decimals: int
    integers: bool


@dataclass(frozen=True)
class Drawing:
    """Plotly panels side by side, their legends, and the values a slider or drop-down chooses from.

    A trace's ``meta`` holds ``series`` and ``facet`` (raw text); with ``linked`` its ``customdata`` holds, for every
    point, the place of its value in each legend. ``widest`` limits the width in pixels (0: as wide as the page).
    With ``grid``, a heat map's ``meta`` holds ``rows``, the first and the last row but one of its part of the frame.
    """

    panels: tuple[go.Figure, ...]
    legends: tuple[Legend, ...] = ()
    facets: tuple[str, ...] = ()
    facet_title: str = ""
    start: str = ""
    linked: bool = False
    widest: int = 0
    scale: Scale | None = None
    note: str = ""
    grid: Grid | None = None


def escape(text: object) -> str:
    """Text that Plotly shows as it is: its labels understand some HTML, which a token must not be."""
    return html.escape(str(text), quote=False)


def tick(text: object) -> str:
    """A label beside an axis: escaped, and cut where it would push the plot off a phone (hover has it whole)."""
    whole = str(text)
    return escape(whole if len(whole) <= LONGEST_TICK else whole[: LONGEST_TICK - 1] + "…")


def title_of(named: str, column: str) -> str:
    """The axis title a figure gives, or its column's name made readable."""
    return escape(named or column.replace("_", " "))


def facets_of(figure: Figure) -> tuple[tuple[str, ...], str]:
    """The values of the facet column in order of appearance, and the one shown first."""
    column = figure.column("facet")
    if not column:
        return (), ""
    values = tuple(str(value) for value in figure.frame[column].unique())
    return values, figure.facet_start if figure.facet_start in values else values[0]


def parts(frame: pd.DataFrame, column: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """The frame cut by the values of ``column``, in order of appearance; whole, under an empty name, without one."""
    if not column:
        yield "", frame
        return
    for value, part in frame.groupby(column, sort=False, dropna=False):
        yield ("–" if pd.isna(value) else str(value)), part


def scale_of(figure: Figure, limits: tuple[float, float]) -> Scale:
    """The key to a figure's coloured values between ``limits``."""
    low, high = (format_number(limit, figure.decimals) for limit in limits)
    title = figure.value_title or figure.column("value").replace("_", " ")
    return Scale(title, low, high, tuple(colour for _, colour in scale(figure.diverging)))


def colour_limits(figure: Figure) -> tuple[float, float]:
    """The colour scale's ends, the same for every facet; a diverging scale is even on both sides of its centre."""
    values = figure.frame[figure.column("value")].astype("float64")
    finite = [value for value in values if math.isfinite(value)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    if not figure.diverging:
        return (low, high) if low < high else (low - 0.5, high + 0.5)
    reach = max(abs(high - figure.centre), abs(low - figure.centre), least_reach(figure.decimals))
    return figure.centre - reach, figure.centre + reach


def shows_intervals(panels: Iterable[go.Figure]) -> bool:
    """Whether a band or an error bar is drawn anywhere."""
    return any(_has_interval(trace) for panel in panels for trace in panel.data)


def _has_interval(trace: Any) -> bool:
    if getattr(trace, "fill", None) == "toself" and trace.type == "scatter":
        return True
    bars = [getattr(trace, name, None) for name in ("error_x", "error_y")]
    return any(value is not None for bar in bars if bar is not None for value in (bar.array or ()))


def colour_bar(title: str) -> dict[str, object]:
    """Plotly's own bar, for saved pictures."""
    return {
        "orientation": "h", "thickness": 10, "len": 0.5, "x": 0, "xanchor": "left", "y": 1, "yanchor": "bottom",
        "ypad": 10, "outlinewidth": 0, "title": {"text": title, "side": "top", "font": {"size": 12}}, "nticks": 5,
    }  # fmt: skip


def numbers(values: pd.Series) -> list[float | None]:
    """Floats with seven digits (a page need not carry seventeen); what is not finite becomes a gap."""
    return [float(f"{v:.7g}") if math.isfinite(v) else None for v in values.astype("float64")]


def hover_texts(figure: Figure, frame: pd.DataFrame, heads: Sequence[str], value: str = "") -> list[str]:
    """One text a row: ``heads`` (columns, the first in bold), the value with its interval, n, further columns."""
    columns = {c: frame[c].tolist() for c in frame.columns}
    return [_hover_text(figure, columns, row, heads, value) for row in range(len(frame))]


def _hover_text(figure: Figure, columns: dict[str, list[Any]], row: int, heads: Sequence[str], value: str) -> str:
    lines = []
    for place, column in enumerate(heads):
        text = escape(show(columns[column][row], figure.decimals))
        lines.append(
            f"<b>{text}</b>" if place == 0 and isinstance(columns[column][row], str) else f"{escape(column)} {text}"
        )
    if value:
        lines.append(f"{title_of(_value_title(figure, value), value)}: {show(columns[value][row], figure.decimals)}")
    low, high, n = (figure.column(role) for role in ("low", "high", "n"))
    if low and high and not pd.isna(columns[low][row]):
        lines.append(
            f"interval [{show(columns[low][row], figure.decimals)}, {show(columns[high][row], figure.decimals)}]"
        )
    if n and not pd.isna(columns[n][row]):
        lines.append(f"n = {int(columns[n][row]):,}")
    lines += [f"{escape(column)}: {wrap(columns[column][row], figure.decimals)}" for column in figure.hover]
    return "<br>".join(lines)


def _value_title(figure: Figure, value: str) -> str:
    if value == figure.column("value"):
        return figure.value_title
    return figure.y_title if value == figure.column("y") else ""


def show(value: object, decimals: int) -> str:
    """A number as the page writes numbers, anything else as text; not escaped."""
    if isinstance(value, float):
        return format_number(value, decimals)
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}" if abs(value) >= 10_000 else str(value)
    return "–" if pd.isna(value) else str(value)  # type: ignore[call-overload]


def wrap(value: object, decimals: int) -> str:
    """Long text (a sentence) in lines short enough for a phone, escaped."""
    lines = textwrap.wrap(show(value, decimals), PHONE_WIDTH, break_long_words=True, max_lines=6, placeholder=" …")
    return "<br>".join(map(escape, lines))


def padded(values: Iterable[float | None], share: float = 0.05) -> list[float] | None:
    """A range around all finite values, the same for every facet so that they can be compared."""
    finite = [value for value in values if value is not None and math.isfinite(value)]
    if not finite:
        return None
    low, high = min(finite), max(finite)
    pad = (high - low) * share or abs(high) * share or 1.0
    return [low - pad, high + pad]


def spread(figure: Figure, frame: pd.DataFrame, value: str) -> dict[str, Any] | None:
    """Plotly's asymmetric error bars for a value with an interval, or None."""
    low, high = figure.column("low"), figure.column("high")
    if not low or not high:
        return None
    middle = frame[value].astype("float64")
    return {
        "type": "data",
        "symmetric": False,
        "array": numbers(frame[high].astype("float64") - middle),
        "arrayminus": numbers(middle - frame[low].astype("float64")),
        "thickness": 1.2,
        "width": 0,
    }
