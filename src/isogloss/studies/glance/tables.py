"""The table of a glance: retrieval at the chosen layer."""

from collections.abc import Iterator

from isogloss.studies.glance.plan import UNTRAINED
from isogloss.studies.glance.view import GlanceView
from isogloss.studies.result import Table


def tables_of(view: GlanceView) -> Iterator[Table]:
    """Retrieval at the chosen layer: a row per encoder or baseline, a column per pool."""
    frame, layer = view.frame, view.layer
    shown = frame[(frame["measure"] == "retrieval") & (frame["layer"] == layer)].copy()
    shown[["value", "low", "high"]] *= 100
    yield Table.from_tidy(
        "retrieval", f"Translations found at layer {layer}, %",
        f"Higher is better; the layer was chosen on other sentences (the validation part). n = {shown['n'].iloc[0]:,}.",
        shown[["condition", "pool", "value", "low", "high", "n"]], rows=("condition",), columns="pool", best="max",
        baseline_row=UNTRAINED,
    )  # fmt: skip
