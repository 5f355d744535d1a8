"""Heat maps: language x language, layer x layer, and coloured tables of losses."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from isogloss.report.figures.drawing import (
    Drawing,
    Grid,
    colour_bar,
    colour_limits,
    escape,
    facets_of,
    hover_texts,
    parts,
    scale_of,
    tick,
    title_of,
)
from isogloss.report.palette import scale
from isogloss.report.table_layout import format_number
from isogloss.studies.result import Figure

MANY_CELLS = 20_000
HOVER = "%{hovertext}<extra></extra>"


def draw_heatmap(figure: Figure, _colours: object) -> Drawing:
    """Cells in the frame's order; text rows read downwards like a table, numbers upwards like an axis."""
    x, y = figure.column("x"), figure.column("y")
    across, down = _heads(figure.frame[x]), _heads(figure.frame[y])
    limits = colour_limits(figure)
    facets, start = facets_of(figure)
    split = list(parts(figure.frame.reset_index(drop=True), figure.column("facet")))
    large = len(figure.frame) > MANY_CELLS and not figure.hover and all(_in_one_piece(part) for _, part in split)
    traces = [
        _grid(figure, part, across, down, {"series": "", "facet": facet}, limits, large=large) for facet, part in split
    ]
    upwards = pd.api.types.is_numeric_dtype(figure.frame[y].dtype)
    row = 34 if figure.annotate or len(down) <= 20 else 20
    layout = go.Layout(
        height=int(min(max(row * len(down) + 130, 260), 820)),
        xaxis={
            "title": {"text": title_of(figure.x_title, x)}, "type": "category", "showgrid": False,
            **_ticks(figure.frame[x]),
        },
        yaxis={
            "title": {"text": title_of(figure.y_title, y)}, "type": "category", "showgrid": False,
            "autorange": True if upwards else "reversed", **_ticks(figure.frame[y]),
        },
        margin={"t": 8},
    )  # fmt: skip
    widest = max((74 if figure.annotate else 44) * len(across) + 190, 460)
    return Drawing(
        (go.Figure(traces, layout),),
        (),
        facets,
        figure.column("facet"),
        start,
        widest=widest,
        scale=scale_of(figure, limits),
        grid=_made_in_the_browser(figure) if large else None,
    )


def _in_one_piece(part: pd.DataFrame) -> bool:
    """Whether the rows of a facet stand one after the other in the frame."""
    return bool(len(part)) and int(part.index[-1]) - int(part.index[0]) + 1 == len(part)


def _made_in_the_browser(figure: Figure) -> Grid:
    x, y, value, low, high, n = (figure.column(role) for role in ("x", "y", "value", "low", "high", "n"))
    return Grid(
        x, y, value, low, high, n, across=escape(x), title=title_of(figure.value_title, value),
        decimals=figure.decimals, integers=pd.api.types.is_integer_dtype(figure.frame[value].dtype),
    )  # fmt: skip


def _heads(values: pd.Series) -> dict[str, int]:
    """The labels of one side, escaped, each with its place."""
    return {escape(value): place for place, value in enumerate(values.unique())}


def _places(values: pd.Series, heads: dict[str, int]) -> NDArray[np.int64]:
    """Where each row stands on an axis."""
    return values.map({value: heads[escape(value)] for value in values.unique()}).to_numpy(dtype=np.int64)


def _ticks(values: pd.Series) -> dict[str, object]:
    """Every label where there is room for them; Plotly thins them out on narrow screens."""
    heads = values.unique()
    long = {escape(value): tick(value) for value in heads if tick(value) != escape(value)}
    return {
        "ticks": "outside", "ticklen": 4, "tickcolor": "rgba(0,0,0,0)", "labelalias": long or None,
        "tickfont": {"size": 11 if len(heads) > 24 else 12},
        "categoryarray": [escape(value) for value in heads],
    }  # fmt: skip


def _grid(
    figure: Figure,
    part: pd.DataFrame,
    across: dict[str, int],
    down: dict[str, int],
    meta: dict[str, object],
    limits: tuple[float, float],
    *,
    large: bool,
) -> go.Heatmap:
    """One facet's cells. Of a large heat map the texts on hover are left to the browser: they would be most of the
    page, and it has what they say."""
    x, y, value = (figure.column(role) for role in ("x", "y", "value"))
    rows, columns = _places(part[y], down), _places(part[x], across)
    z = np.full((len(down), len(across)), np.nan, dtype=np.float32)
    z[rows, columns] = part[value].to_numpy(dtype=np.float32)
    if large:
        meta = {**meta, "rows": [int(part.index[0]), int(part.index[-1]) + 1]}
        hover = {}
    else:
        texts = np.full(z.shape, "", dtype=object)
        texts[rows, columns] = hover_texts(figure, part.astype({x: str, y: str}), [y, x], value)
        hover = {"hovertext": texts.tolist(), "hovertemplate": HOVER}
    return go.Heatmap(
        z=z,
        x=list(across),
        y=list(down),
        **hover,
        hoverongaps=False,
        colorscale=scale(figure.diverging),
        zmin=limits[0],
        zmax=limits[1],
        xgap=1,
        ygap=1,
        meta=meta,
        text=_written(figure, z) if figure.annotate else None,
        texttemplate="%{text}" if figure.annotate else None,
        showscale=False,
        colorbar=colour_bar(title_of(figure.value_title, value)),
    )


def _written(figure: Figure, z: NDArray[np.float32]) -> list[list[str]]:
    """The numbers as the page writes them; changes around zero carry their sign."""
    sign = figure.diverging and figure.centre == 0
    return [
        ["" if np.isnan(value) else format_number(float(value), figure.decimals, sign=sign) for value in row]
        for row in z
    ]
