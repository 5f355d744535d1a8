"""Points: scatter plots, 2-D maps by label and by language with linked legends, arrows from before to after."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

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
    title_of,
)
from isogloss.report.figures.labels import place_labels
from isogloss.report.palette import GREY, Colours, baseline_style
from isogloss.studies.result import Figure

MOST_POINTS = 4000  # in a facet: more do not show more, and a page must stay quick
MOST_LABELS = 60
PLOT = (740, 370)  # pixels of a scatter plot without its margins, about
BARE = {"showgrid": False, "zeroline": False, "showticklabels": False, "ticks": ""}


def draw_scatter(figure: Figure, colours: Colours) -> Drawing:
    """Two measures against each other; with a ``label`` column and few points, the points are named."""
    x, y, series, label = (figure.column(role) for role in ("x", "y", "series", "label"))
    facets, start = facets_of(figure)
    ranges = padded(numbers(figure.frame[x])), padded(numbers(figure.frame[y]), 0.1)
    traces, items = [], {}
    for facet, rows in parts(figure.frame, figure.column("facet")):
        places = _label_places(figure, rows, ranges)
        for name, part in parts(rows, series):
            style = baseline_style(figure.baselines.index(name)) if name in figure.baselines else colours.style(name)
            items[name] = LegendItem(name, style)
            error = spread(figure, part, y)
            traces.append(
                go.Scatter(
                    x=numbers(part[x]),
                    y=numbers(part[y]),
                    mode="markers+text" if label else "markers",
                    text=[escape(part.at[row, label]) if places[row] else "" for row in part.index] if label else None,
                    textposition=[places[row] or "top center" for row in part.index] if label else None,
                    textfont={"size": 11},
                    cliponaxis=False,  # names of points at the side may stand in the margin
                    name=escape(name),
                    meta={"series": name, "facet": facet},
                    marker={"color": style.colour, "symbol": style.symbol, "size": 9, "opacity": 0.85},
                    error_y={**error, "color": GREY[0]} if error else None,
                    hovertext=hover_texts(figure, part, [c for c in (label, series, x) if c], y),
                    hovertemplate="%{hovertext}<extra></extra>",
                )
            )
    layout = go.Layout(
        height=440,
        xaxis={
            "title": {"text": title_of(figure.x_title, x)}, "range": ranges[0],
            "type": "log" if figure.log_x else None,
        },
        yaxis={"title": {"text": title_of(figure.y_title, y)}, "range": ranges[1]},
    )  # fmt: skip
    if figure.log_x:
        layout.xaxis.range = None
    legends = (Legend(series, series, tuple(items.values())),) if len(items) > 1 else ()
    return Drawing((go.Figure(traces, layout),), legends, facets, figure.column("facet"), start, widest=820)


def _label_places(
    figure: Figure, rows: pd.DataFrame, ranges: tuple[list[float] | None, list[float] | None]
) -> dict[object, str]:
    """Where each row's name goes; nothing where it would cover another one."""
    across, up = ranges
    label = figure.column("label")
    if not label or across is None or up is None or len(rows) > MOST_LABELS:
        return dict.fromkeys(rows.index, "")
    measures = rows[[figure.column("x"), figure.column("y")]].astype("float64")
    x = np.log10(measures.iloc[:, 0]) if figure.log_x else measures.iloc[:, 0]
    sides = (float(x.min()), float(x.max())) if figure.log_x else (across[0], across[1])
    points = list(zip(x.tolist(), measures.iloc[:, 1].tolist(), strict=True))
    names = rows[label].astype(str).tolist()
    return dict(zip(rows.index, place_labels(points, names, (sides, (up[0], up[1])), PLOT), strict=True))


def draw_map(figure: Figure, colours: Colours) -> Drawing:
    """The same points once for every column in ``colours``; hiding a name in one legend hides it in every panel."""
    facet = figure.column("facet")
    columns = figure.colours or tuple(c for c in ("label", "language") if c in figure.frame.columns)
    frame = figure.frame if columns else figure.frame.assign(point="points")
    columns = columns or ("point",)
    facets, start = facets_of(figure)
    shown = pd.concat([_thin(part) for _, part in parts(frame, facet)]).reset_index(drop=True)
    legends = tuple(_legend(frame, column, colours) for column in columns)
    codes = np.stack([_codes(legend, shown[legend.column]) for legend in legends], axis=1)
    texts = hover_texts(figure, shown, list(columns))
    panels = tuple(_map_panel(figure, shown, legend, codes, texts) for legend in legends)
    most = max(len(part) for _, part in parts(frame, facet))
    note = f"{MOST_POINTS:,} of {most:,} points are shown, drawn at random." if most > MOST_POINTS else ""
    return Drawing(panels, legends, facets, facet, start, linked=True, note=note)


def _thin(part: pd.DataFrame) -> pd.DataFrame:
    return part.sample(MOST_POINTS, random_state=0).sort_index() if len(part) > MOST_POINTS else part


def _legend(frame: pd.DataFrame, column: str, colours: Colours) -> Legend:
    names = ["–" if pd.isna(name) else str(name) for name in frame[column].unique()]
    return Legend(column, column, tuple(LegendItem(name, colours.style(name)) for name in names))


def _codes(legend: Legend, values: pd.Series) -> NDArray[np.int64]:
    """The place of each point's value in its legend."""
    places = {item.name: place for place, item in enumerate(legend.items)}
    return np.array([places["–" if pd.isna(value) else str(value)] for value in values], dtype=np.int64)


def _map_panel(
    figure: Figure, shown: pd.DataFrame, legend: Legend, codes: NDArray[np.int64], texts: list[str]
) -> go.Figure:
    x, y = figure.column("x"), figure.column("y")
    styles = {item.name: item.style for item in legend.items}
    traces = []
    for facet, rows in parts(shown, figure.column("facet")):
        for name, part in parts(rows, legend.column):
            style = styles[name]
            traces.append(
                go.Scatter(
                    x=numbers(part[x]),
                    y=numbers(part[y]),
                    mode="markers",
                    name=escape(name),
                    meta={"series": name, "facet": facet, "column": legend.column},
                    customdata=codes[part.index].tolist(),
                    hovertext=[texts[row] for row in part.index],
                    hovertemplate="%{hovertext}<extra></extra>",
                    marker={"color": style.colour, "symbol": style.symbol, "size": 6, "opacity": 0.75},
                )
            )
    layout = go.Layout(
        height=460,
        meta={"aspect": 0.9},
        title={"text": f"by {title_of('', legend.column)}", "font": {"size": 14}, "x": 0.01, "y": 0.98},
        xaxis={**BARE, "range": padded(numbers(shown[x]))},
        yaxis={**BARE, "range": padded(numbers(shown[y])), "scaleanchor": "x"},
        margin={"l": 8, "r": 8, "t": 36, "b": 8},
    )
    return go.Figure(traces, layout)


def draw_arrows(figure: Figure, colours: Colours) -> Drawing:
    """From where a point was to where it came to lie, for instance a language's centroid under fine-tuning."""
    x, y, x_to, y_to = (figure.column(role) for role in ("x", "y", "x_to", "y_to"))
    series, label = figure.column("series"), figure.column("label")
    facets, start = facets_of(figure)
    traces, items = [], {}
    for facet, rows in parts(figure.frame, figure.column("facet")):
        for name, part in parts(rows, series):
            style = colours.style(name)
            items[name] = LegendItem(name, style)
            texts = hover_texts(figure, part, [c for c in (label, series) if c])
            pairs = list(zip(numbers(part[x]), numbers(part[x_to]), strict=True))
            heights = list(zip(numbers(part[y]), numbers(part[y_to]), strict=True))
            traces.append(
                go.Scatter(
                    x=[v for pair in pairs for v in (*pair, None)],
                    y=[v for pair in heights for v in (*pair, None)],
                    mode="lines+markers",
                    name=escape(name),
                    meta={"series": name, "facet": facet},
                    line={"color": style.colour, "width": 1.8},
                    marker={
                        "color": style.colour, "size": [5, 14, 0] * len(part), "angleref": "previous",
                        "opacity": 1, "line": {"width": 0},
                        "symbol": ["circle", "arrow", "circle"] * len(part),
                    },
                    hovertext=[text for t in texts for text in (f"{t}<br>before", f"{t}<br>after", "")],
                    hovertemplate="%{hovertext}<extra></extra>",
                )
            )  # fmt: skip
    frame = figure.frame
    layout = go.Layout(
        height=480,
        meta={"aspect": 0.9},
        xaxis={**BARE, "range": padded([*numbers(frame[x]), *numbers(frame[x_to])])},
        yaxis={**BARE, "range": padded([*numbers(frame[y]), *numbers(frame[y_to])]), "scaleanchor": "x"},
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
    )
    legends = (Legend(series, series, tuple(items.values())),) if len(items) > 1 else ()
    return Drawing((go.Figure(traces, layout),), legends, facets, figure.column("facet"), start, widest=640)
