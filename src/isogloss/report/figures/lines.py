"""Lines with interval bands: layer profiles, subspace curves, training curves, gates."""

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from isogloss.report.figures.drawing import (
    Drawing,
    Legend,
    LegendItem,
    escape,
    facets_of,
    hover_texts,
    numbers,
    padded,
    parts,
    title_of,
)
from isogloss.report.palette import FAINT, Colours, Style, band, baseline_style
from isogloss.studies.result import Figure

MOST_BANDS = 8  # with more lines their bands hide each other; the intervals stay on hover
MOST_TICKS = 26


def draw_lines(figure: Figure, colours: Colours) -> Drawing:
    """One line a series, its interval as a band, baselines dashed."""
    series = figure.column("series")
    facets, start = facets_of(figure)
    names = [name for name, _ in parts(figure.frame, series)]
    styles = {name: _style(figure, name, series, colours) for name in names}
    crowded = len(names) > MOST_BANDS
    traces: list[go.Scatter] = []
    for facet, rows in parts(figure.frame, figure.column("facet")):
        bands, lines = [], []
        for name, part in parts(rows, series):
            meta = {"series": name, "facet": facet}
            if not crowded or name in figure.highlight:
                bands += _band(figure, part, styles[name], meta)
            lines.append(_line(figure, part, styles[name], meta, crowded))
        traces += bands + _highlighted_last(lines, figure.highlight)
    note = "Intervals are shown on hover: with this many lines, bands would hide each other." if crowded else ""
    return Drawing(
        panels=(go.Figure(traces, _layout(figure)),),
        legends=_legends(series, names, styles),
        facets=facets,
        facet_title=figure.column("facet"),
        start=start,
        note=note if figure.column("low") else "",
    )


def _style(figure: Figure, name: str, series: str, colours: Colours) -> Style:
    if name in figure.baselines:
        return baseline_style(figure.baselines.index(name))
    style = colours.style(name)
    return Style(FAINT[0], style.dash, style.symbol) if figure.highlight and name not in figure.highlight else style


def _line(figure: Figure, part: pd.DataFrame, style: Style, meta: dict[str, str], crowded: bool) -> go.Scatter:
    x, y, series = figure.column("x"), figure.column("y"), figure.column("series")
    strong = meta["series"] in figure.highlight or not crowded
    sparse = len(part) <= 60
    return go.Scatter(
        x=part[x].tolist(),
        y=numbers(part[y]),
        mode="lines+markers" if sparse else "lines",
        name=escape(meta["series"]),
        meta=meta,
        line={"color": style.colour, "dash": style.dash, "width": 2.4 if strong else 1.4},
        marker={"color": style.colour, "symbol": style.symbol, "size": 6 if strong else 4},
        text=hover_texts(figure, part, [c for c in (series, x) if c], y),
        hovertemplate="%{text}<extra></extra>",
    )


def _band(figure: Figure, part: pd.DataFrame, style: Style, meta: dict[str, str]) -> list[go.Scatter]:
    low, high, x = figure.column("low"), figure.column("high"), figure.column("x")
    if not low or not high:
        return []
    known = part.dropna(subset=[low, high])
    if known.empty:
        return []
    there = known[x].tolist()
    return [
        go.Scatter(
            x=there + there[::-1],
            y=numbers(known[high]) + numbers(known[low])[::-1],
            fill="toself",
            fillcolor=band(style.colour),
            line={"width": 0},
            mode="lines",
            hoverinfo="skip",
            showlegend=False,
            name=escape(meta["series"]),
            meta=meta,
        )
    ]


def _highlighted_last(lines: list[go.Scatter], highlight: Sequence[str]) -> list[go.Scatter]:
    """Later traces lie on top."""
    return sorted(lines, key=lambda line: line.meta["series"] in highlight)


def _legends(series: str, names: list[str], styles: dict[str, Style]) -> tuple[Legend, ...]:
    if not series or len(names) < 2:
        return ()
    return (Legend(series, series, tuple(LegendItem(name, styles[name]) for name in names)),)


def _from_zero(figure: Figure, columns: Sequence[str]) -> list[float] | None:
    """A range around all values that starts at 0 where none is below; losses and perplexities need not."""
    values = [value for column in columns for value in numbers(figure.frame[column])]
    limits = padded(values)
    if limits is None or figure.kind == "training" or any(value is not None and value < 0 for value in values):
        return limits
    return [0.0, limits[1]]


def _layout(figure: Figure) -> go.Layout:
    x, y = figure.column("x"), figure.column("y")
    columns = [c for c in (y, figure.column("low"), figure.column("high")) if c]
    across = figure.frame[x]
    axis: dict[str, object] = {"title": {"text": title_of(figure.x_title, x)}, "showgrid": False, "zeroline": False}
    if figure.log_x:
        axis["type"] = "log"
        if across.nunique() <= MOST_TICKS:
            axis |= {"tickmode": "array", "tickvals": sorted(across.unique().tolist())}
    elif pd.api.types.is_integer_dtype(across.dtype) and across.nunique() <= MOST_TICKS:
        step = 1 if across.nunique() <= 14 else 2
        if figure.kind in ("profile", "gates"):
            axis |= {"dtick": step, "tick0": int(across.min())}
    limits = list(figure.y_range) if figure.y_range else _from_zero(figure, columns)
    return go.Layout(
        height=400,
        xaxis=axis,
        yaxis={"title": {"text": title_of(figure.y_title, y)}, "range": limits},
    )
