"""Dendrograms of languages and family trees: the same elbows, with or without a scale of heights."""

from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go

from isogloss.report.figures.drawing import (
    Drawing,
    Legend,
    LegendItem,
    colour_bar,
    colour_limits,
    escape,
    hover_texts,
    numbers,
    scale_of,
    tick,
    title_of,
)
from isogloss.report.palette import GREY, Colours, scale
from isogloss.studies.result import Figure

ROW = 24


@dataclass(frozen=True)
class _Spot:
    """Where a node lies: ``across`` is its height or depth, ``down`` its row (a fraction for inner nodes)."""

    across: float
    down: float


def draw_tree(figure: Figure, colours: Colours) -> Drawing:
    """Leaves in rows, named at the right; inner names over their branches; leaves coloured by value or family."""
    frame = figure.frame.reset_index(drop=True)
    children, roots = _children(figure, frame)
    order = _leaves(children, roots, len(frame))
    spots = _spots(figure, frame, children, order)
    leaves = frame.loc[order]
    traces, legends = _leaf_traces(figure, leaves, [spots[leaf] for leaf in order], colours)
    inner = [row for row in children if children[row] and str(frame[figure.column("label")].iloc[row])]
    layout = _layout(figure, [tick(text) for text in leaves[figure.column("label")]], spots)
    layout.annotations = [_inner_name(frame[figure.column("label")].iloc[row], spots[row]) for row in inner]
    key = scale_of(figure, colour_limits(figure)) if figure.column("value") else None
    return Drawing((go.Figure([_elbows(children, spots), *traces], layout),), legends, scale=key)


def _children(figure: Figure, frame: pd.DataFrame) -> tuple[dict[int, list[int]], list[int]]:
    rows = {str(node): row for row, node in enumerate(frame[figure.column("node")])}
    children: dict[int, list[int]] = {row: [] for row in range(len(frame))}
    roots = []
    for row, parent in enumerate(frame[figure.column("parent")]):
        if pd.isna(parent) or str(parent) == "":
            roots.append(row)
        elif str(parent) in rows:
            children[rows[str(parent)]].append(row)
        else:
            raise ValueError(f"figure '{figure.name}': parent '{parent}' is not a node")
    return children, roots


def _leaves(children: dict[int, list[int]], roots: list[int], size: int) -> list[int]:
    """Leaves from top to bottom; a node that no root reaches would never be drawn, so that is an error."""
    leaves, seen, stack = [], 0, roots[::-1]
    while stack:
        row = stack.pop()
        seen += 1
        if children[row]:
            stack.extend(reversed(children[row]))
        else:
            leaves.append(row)
    if seen != size:
        raise ValueError("a tree must have a root for every node and no circles")
    return leaves


def _spots(figure: Figure, frame: pd.DataFrame, children: dict[int, list[int]], order: list[int]) -> dict[int, _Spot]:
    rows = {leaf: float(place) for place, leaf in enumerate(order)}
    height = figure.column("height")
    spots: dict[int, _Spot] = {}

    def place(row: int) -> _Spot:
        under = [place(child) for child in children[row]]
        down = sum(spot.down for spot in under) / len(under) if under else rows[row]
        level = float(max((spot.across for spot in under), default=-1.0) + 1)
        spots[row] = _Spot(float(frame[height].iloc[row]) if height else level, down)
        return spots[row]

    below = {child for under in children.values() for child in under}
    for root in set(children) - below:
        place(root)
    return spots


def _elbows(children: dict[int, list[int]], spots: dict[int, _Spot]) -> go.Scatter:
    across: list[float | None] = []
    down: list[float | None] = []
    for row, under in children.items():
        for child in under:
            across += [spots[row].across, spots[row].across, spots[child].across, None]
            down += [spots[row].down, spots[child].down, spots[child].down, None]
    return go.Scatter(
        x=across, y=down, mode="lines", line={"color": GREY[0], "width": 1.3}, hoverinfo="skip", showlegend=False,
        meta={"series": "", "facet": ""},
    )  # fmt: skip


def _leaf_traces(
    figure: Figure, leaves: pd.DataFrame, spots: list[_Spot], colours: Colours
) -> tuple[list[go.Scatter], tuple[Legend, ...]]:
    value, group = figure.column("value"), figure.column("group")
    heads = [c for c in (figure.column("label"), group) if c]
    if value or not group:
        marker: dict[str, object] = {"size": 11, "color": GREY[0]}
        if value:
            low, high = colour_limits(figure)
            bar = colour_bar(title_of(figure.value_title, value))
            marker |= {
                "color": numbers(leaves[value]), "colorscale": scale(figure.diverging), "colorbar": bar,
                "line": {"width": 1, "color": GREY[0]},
                "cmin": low, "cmax": high, "showscale": False,
            }  # fmt: skip
        return [_leaves_trace(leaves, spots, marker, "", hover_texts(figure, leaves, heads, value))], ()
    texts = hover_texts(figure, leaves, heads)
    names = list(dict.fromkeys(str(name) for name in leaves[group]))
    traces, items = [], []
    for name in names:
        mine = [place for place, other in enumerate(leaves[group]) if str(other) == name]
        style = colours.style(name)
        items.append(LegendItem(name, style))
        marker = {"size": 10, "color": style.colour, "symbol": style.symbol}
        traces.append(
            _leaves_trace(leaves.iloc[mine], [spots[i] for i in mine], marker, name, [texts[i] for i in mine])
        )
    return traces, (Legend(group, group, tuple(items)),) if len(items) > 1 else ()


def _leaves_trace(
    leaves: pd.DataFrame, spots: list[_Spot], marker: dict[str, object], name: str, texts: list[str]
) -> go.Scatter:
    return go.Scatter(
        x=[spot.across for spot in spots],
        y=[spot.down for spot in spots],
        mode="markers",
        name=escape(name),
        marker=marker,
        meta={"series": name, "facet": ""},
        hovertext=texts,
        hovertemplate="%{hovertext}<extra></extra>",
        cliponaxis=False,
    )


def _inner_name(label: object, spot: _Spot) -> dict[str, object]:
    return {
        "x": spot.across, "y": spot.down, "text": tick(label), "showarrow": False, "xanchor": "left",
        "yanchor": "bottom", "xshift": 3, "font": {"size": 11, "color": GREY[0]},
    }  # fmt: skip


def _layout(figure: Figure, names: list[str], spots: dict[int, _Spot]) -> go.Layout:
    deepest = max(spot.across for spot in spots.values())
    height = figure.column("height")
    title = title_of(figure.x_title, height) if height else ""
    return go.Layout(
        height=max(ROW * len(names) + 110, 220),
        xaxis={
            "range": [deepest * 1.04 or 1.0, 0], "showgrid": bool(height), "zeroline": False,
            "showticklabels": bool(height), "title": {"text": title},
        },
        yaxis={
            "tickmode": "array", "tickvals": list(range(len(names))), "ticktext": names, "side": "right",
            "range": [len(names) - 0.4, -0.8], "showgrid": False, "zeroline": False, "ticks": "outside", "ticklen": 8,
            "tickcolor": "rgba(0,0,0,0)",
        },
        margin={"l": 16, "t": 8, "b": 48 if height else 8},
    )  # fmt: skip
