"""A world map of languages as plain longitude and latitude: no map is fetched from anywhere.

Rows without a value are drawn as faint dots. Given all of WALS's languages, these draw the continents by themselves.
"""

import pandas as pd
import plotly.graph_objects as go

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
from isogloss.report.palette import FAINT, INK, Colours, scale
from isogloss.studies.result import Figure

MOST_NAMES = 40


def draw_world(figure: Figure, _colours: Colours) -> Drawing:
    """Languages where they are spoken, coloured by their value."""
    x, y, label, value = (figure.column(role) for role in ("x", "y", "label", "value"))
    known = figure.frame[figure.frame[value].notna()]
    behind = figure.frame[figure.frame[value].isna()]
    low, high = limits = colour_limits(figure)
    marker: dict[str, object] = {
        "cmin": low, "cmax": high, "showscale": False,
        "color": numbers(known[value]), "colorscale": scale(figure.diverging), "size": 12,
        "line": {"width": 1, "color": INK[0]}, "colorbar": colour_bar(title_of(figure.value_title, value)),
    }  # fmt: skip
    named = len(known) <= MOST_NAMES
    heads = [c for c in (label, figure.column("group")) if c]
    traces = [
        go.Scatter(
            x=numbers(behind[x]), y=numbers(behind[y]), mode="markers", marker={"color": FAINT[0], "size": 3},
            hoverinfo="skip", showlegend=False, meta={"series": "", "facet": ""},
        ),
        go.Scatter(
            x=numbers(known[x]), y=numbers(known[y]), mode="markers+text" if named else "markers",
            text=[escape(name) for name in known[label]] if named else None, textposition="top center",
            textfont={"size": 11}, marker=marker, hovertext=hover_texts(figure, known, heads, value),
            hovertemplate="%{hovertext}<extra></extra>", meta={"series": "", "facet": ""},
        ),
    ]  # fmt: skip
    return Drawing(
        (go.Figure(traces, _layout(figure, figure.frame if len(behind) else known)),), scale=scale_of(figure, limits)
    )


def _layout(figure: Figure, shown: pd.DataFrame) -> go.Layout:
    across, up = shown[figure.column("x")], shown[figure.column("y")]
    left, right = max(-180.0, float(across.min()) - 12), min(180.0, float(across.max()) + 12)
    bottom, top = max(-90.0, float(up.min()) - 8), min(90.0, float(up.max()) + 12)
    return go.Layout(
        height=560,
        meta={"aspect": (top - bottom) / (right - left)},
        xaxis={
            "range": [left, right], "dtick": 30,
            "ticksuffix": "°", "zeroline": True, "constrain": "domain",
        },
        yaxis={
            "range": [bottom, top], "dtick": 30,
            "ticksuffix": "°", "scaleanchor": "x", "zeroline": True, "constrain": "domain",
        },
        margin={"t": 8},
    )  # fmt: skip
