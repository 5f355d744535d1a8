"""The one way that studies of fine-tunings draw differences in points: a coloured table, zero in the middle."""

import pandas as pd

from isogloss.studies.figure import Figure


def gain_map(
    name: str, title: str, frame: pd.DataFrame, *, reading: str, alt: str, paper: str, x: str, y: str,
    facet: str = "", x_title: str = "",
) -> Figure:  # fmt: skip
    """A cell for every ``x`` and ``y`` of ``frame``, with its number in points and a colour for gain or loss."""
    return Figure(
        name, title, "heatmap", frame,
        reading=reading,
        alt=alt,
        x=x, y=y, facet=facet, x_title=x_title, value_title="points", diverging=True, annotate=True, decimals=1,
        paper=paper,
    )  # fmt: skip
