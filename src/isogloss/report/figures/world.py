"""A world map: languages by longitude and latitude on an outline of the land; nothing is fetched from anywhere."""

import json
import math
from functools import cache

import pandas as pd
import plotly.graph_objects as go

from isogloss.report.asset import asset
from isogloss.report.figures.drawing import (
    Drawing,
    colour_bar,
    colour_limits,
    escape,
    hover_texts,
    numbers,
    scale_of,
    title_of,
)
from isogloss.report.figures.labels import place_labels
from isogloss.report.palette import FAINT, INK, RULE, Colours, scale
from isogloss.studies.result import Figure

WIDTH = 720  # pixels for placing names: as narrow as a picture for a paper
TENTHS = 10  # the outline is written in tenths of a degree
SOUTH, NORTH = -60.0, 84.0  # no language is spoken beyond
Box = tuple[float, float, float, float]


def draw_world(figure: Figure, _colours: Colours) -> Drawing:
    """Languages where they are spoken, coloured by their value; those without a value are faint dots."""
    x, y, label, value = (figure.column(role) for role in ("x", "y", "label", "value"))
    known = figure.frame[figure.frame[value].notna()]
    behind = figure.frame[figure.frame[value].isna()]
    low, high = limits = colour_limits(figure)
    marker: dict[str, object] = {
        "cmin": low, "cmax": high, "showscale": False,
        "color": numbers(known[value]), "colorscale": scale(figure.diverging), "size": 12,
        "line": {"width": 1, "color": INK[0]}, "colorbar": colour_bar(title_of(figure.value_title, value)),
    }  # fmt: skip
    box = _box(figure, figure.frame if len(behind) else known)
    names = known[label].astype(str).tolist()
    spots = list(zip(known[x].astype(float), known[y].astype(float), strict=True))
    where = place_labels(spots, names, (box[:2], box[2:]), (WIDTH, round(WIDTH * _aspect(box))))
    heads = [c for c in (label, figure.column("group")) if c]
    traces = [
        _land(),
        go.Scatter(
            x=numbers(behind[x]), y=numbers(behind[y]), mode="markers", marker={"color": FAINT[0], "size": 3},
            hoverinfo="skip", showlegend=False, meta={"series": "", "facet": ""},
        ),
        go.Scatter(
            x=numbers(known[x]), y=numbers(known[y]), mode="markers+text",
            text=[escape(name) if place else "" for name, place in zip(names, where, strict=True)],
            textposition=[place or "top center" for place in where], textfont={"size": 11}, marker=marker,
            hovertext=hover_texts(figure, known, heads, value),
            hovertemplate="%{hovertext}<extra></extra>", meta={"series": "", "facet": ""},
        ),
    ]  # fmt: skip
    return Drawing((go.Figure(traces, _layout(box)),), scale=scale_of(figure, limits))


@cache
def land() -> tuple[list[float | None], list[float | None]]:
    """Longitudes and latitudes of the land's outlines, with a gap between rings (Natural Earth 1:110m)."""
    across: list[float | None] = []
    up: list[float | None] = []
    for ring in json.loads(asset("land.json")):
        across += [*(degree / TENTHS for degree in ring[::2]), None]
        up += [*(degree / TENTHS for degree in ring[1::2]), None]
    return across, up


def _land() -> go.Scatter:
    across, up = land()
    return go.Scatter(
        x=across, y=up, mode="lines", line={"width": 0.5, "color": FAINT[0]}, fill="toself", fillcolor=RULE[0],
        hoverinfo="skip", showlegend=False, meta={"series": "", "facet": ""},
    )  # fmt: skip


def _box(figure: Figure, shown: pd.DataFrame) -> Box:
    """West, east, south and north of what is shown, at least twice as wide as it is tall on the page."""
    across, up = shown[figure.column("x")], shown[figure.column("y")]
    south, north = max(SOUTH, float(up.min()) - 8), min(NORTH, float(up.max()) + 10)
    west, east = float(across.min()) - 12, float(across.max()) + 12
    lacking = max(0.0, 2 * _stretch(south, north) * (north - south) - (east - west)) / 2
    return max(-180.0, west - lacking), min(180.0, east + lacking), south, north


def _stretch(south: float, north: float) -> float:
    """How long a degree north is beside a degree east, in the middle of the map."""
    return 1 / math.cos(math.radians((south + north) / 2))


def _aspect(box: Box) -> float:
    west, east, south, north = box
    return _stretch(south, north) * (north - south) / (east - west)


def _layout(box: Box) -> go.Layout:
    west, east, south, north = box
    axis = {"showgrid": False, "zeroline": False, "showticklabels": False, "constrain": "domain"}
    return go.Layout(
        height=620,
        meta={"aspect": _aspect(box), "around": 16},
        xaxis={**axis, "range": [west, east]},
        yaxis={**axis, "range": [south, north], "scaleanchor": "x", "scaleratio": _stretch(south, north)},
        margin={"t": 8, "l": 8, "r": 8, "b": 8},
    )
