"""From a figure's data to Plotly: the kind chooses who draws."""

from collections.abc import Callable, Mapping

import plotly.graph_objects as go

from isogloss.report.figures.bars import draw_bars
from isogloss.report.figures.drawing import Drawing
from isogloss.report.figures.heatmaps import draw_heatmap
from isogloss.report.figures.lines import draw_lines
from isogloss.report.figures.points import draw_arrows, draw_map, draw_scatter
from isogloss.report.figures.trees import draw_tree
from isogloss.report.figures.world import draw_world
from isogloss.report.palette import Colours, template
from isogloss.studies.result import Figure

DRAWERS: Mapping[str, Callable[[Figure, Colours], Drawing]] = {
    "profile": draw_lines,
    "curve": draw_lines,
    "training": draw_lines,
    "gates": draw_lines,
    "heatmap": draw_heatmap,
    "bars": draw_bars,
    "scatter": draw_scatter,
    "map": draw_map,
    "arrows": draw_arrows,
    "world": draw_world,
    "dendrogram": draw_tree,
    "tree": draw_tree,
}


def draw_panels(figure: Figure, colours: Colours | None = None) -> Drawing:
    """All panels and facets of ``figure`` with its legends, for the page to lay out."""
    if colours is None:
        colours = Colours()
        colours.learn(figure)
    return DRAWERS[figure.kind](figure, colours)


def draw(figure: Figure, colours: Colours | None = None) -> go.Figure:
    """``figure`` as one Plotly figure (the first panel, the facet it starts at), light, with Plotly's own legend."""
    drawing = draw_panels(figure, colours)
    panel = drawing.panels[0]
    traces = [t for t in panel.data if not drawing.facets or (t.meta or {}).get("facet") == drawing.start]
    shown = go.Figure(traces, panel.layout)
    return shown.update_layout(
        template=template(dark=False),
        showlegend=bool(drawing.legends),
        legend={"orientation": "h", "y": -0.18, "x": 0},
    )
