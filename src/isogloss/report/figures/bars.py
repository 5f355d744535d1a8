"""Horizontal bars with intervals, grouped by family: names stay readable however many languages there are."""

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
    spread,
    tick,
    title_of,
)
from isogloss.report.palette import INK, Colours, baseline_style
from isogloss.studies.result import Figure


def draw_bars(figure: Figure, colours: Colours) -> Drawing:
    """One bar a category and series; a family's name stands above its members."""
    category, value, series = figure.column("x"), figure.column("y"), figure.column("series")
    places, ticks = _places(figure)
    facets, start = facets_of(figure)
    names = [name for name, _ in parts(figure.frame, series)]
    quiet = {name: baseline_style(place) for place, name in enumerate(figure.baselines)}
    styles = {name: quiet.get(name) or colours.style(name) for name in names}
    traces = []
    for facet, rows in parts(figure.frame, figure.column("facet")):
        for name, part in parts(rows, series):
            heads = [c for c in (category, figure.column("group"), series) if c]
            error = spread(figure, part, value)
            traces.append(
                go.Bar(
                    x=numbers(part[value]),
                    y=[places[key] for key in _keys(figure, part)],
                    orientation="h",
                    name=escape(name),
                    meta={"series": name, "facet": facet},
                    marker={"color": styles[name].colour},
                    error_x={**error, "color": INK[0]} if error else None,
                    hovertext=hover_texts(figure, part, heads, value),
                    hovertemplate="%{hovertext}<extra></extra>",
                    textposition="none",
                )
            )
    items = tuple(LegendItem(name, styles[name]) for name in names)
    return Drawing(
        (go.Figure(traces, _layout(figure, ticks, len(names))),),
        (Legend(series, series, items),) if len(names) > 1 else (),
        facets,
        figure.column("facet"),
        start,
    )


def _keys(figure: Figure, part: pd.DataFrame) -> list[tuple[str, str]]:
    """The family (or nothing) and the category of every row."""
    group = figure.column("group")
    families = part[group] if group else [""] * len(part)
    return [(_text(f), _text(c)) for f, c in zip(families, part[figure.column("x")], strict=True)]


def _places(figure: Figure) -> tuple[dict[tuple[str, str], int], dict[int, str]]:
    """A row for every category, under its family's own row; and the text of every row."""
    keys = list(dict.fromkeys(_keys(figure, figure.frame)))
    places: dict[tuple[str, str], int] = {}
    ticks: dict[int, str] = {}
    for group in dict.fromkeys(group for group, _ in keys):
        if group:
            ticks[len(ticks)] = f"<b>{tick(group)}</b>"
        for key in keys:
            if key[0] == group:
                places[key] = len(ticks)
                ticks[len(ticks)] = tick(key[1])
    return places, ticks


def _layout(figure: Figure, ticks: dict[int, str], series: int) -> go.Layout:
    columns = [c for c in (figure.column("y"), figure.column("low"), figure.column("high")) if c]
    found = padded([0.0, *(v for c in columns for v in numbers(figure.frame[c]))]) or [0.0, 1.0]
    low = 0.0 if min(found) >= -0.06 * max(found) and _none_negative(figure.frame[columns]) else found[0]
    limits = list(figure.y_range) if figure.y_range else [low, found[1]]
    row = 12 + 11 * min(series, 6)
    return go.Layout(
        height=int(max(row * len(ticks) + 90, 220)),
        barmode="group",
        bargap=0.25,
        xaxis={"title": {"text": title_of(figure.y_title, figure.column("y"))}, "range": limits, "zeroline": True},
        yaxis={
            "tickmode": "array", "tickvals": list(ticks), "ticktext": list(ticks.values()), "showgrid": False,
            "zeroline": False, "range": [len(ticks) - 0.4, -0.6], "ticks": "outside", "ticklen": 5,
            "tickcolor": "rgba(0,0,0,0)",
        },
    )  # fmt: skip


def _none_negative(values: pd.DataFrame) -> bool:
    return not bool((values.astype("float64") < 0).any().any())


def _text(value: object) -> str:
    return "–" if pd.isna(value) else str(value)  # type: ignore[call-overload]
