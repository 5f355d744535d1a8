"""Figures: a study's data drawn with Plotly, one small file a kind."""

from isogloss.report.figures.draw import draw, draw_panels
from isogloss.report.figures.drawing import Drawing, Legend, LegendItem, Scale

__all__ = ["Drawing", "Legend", "LegendItem", "Scale", "draw", "draw_panels"]
