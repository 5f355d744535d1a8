"""Tables: every setting of the knobs with what was measured; what each value of a knob does."""

from collections.abc import Iterator

import pandas as pd

from isogloss.studies.result import Table
from isogloss.studies.shared.comparison import POSSIBLE, spread, spread_row
from isogloss.studies.shared.meeting import RETRIEVAL
from isogloss.studies.shared.scores import pick
from isogloss.studies.vary.view import CKA, UNTRAINED, VaryView


def tables_of(view: VaryView) -> Iterator[Table]:
    """The first one is the main one."""
    yield effects(view)
    yield settings(view)


def effects(view: VaryView) -> Table:
    """A row per knob and value but its first."""
    measures = {"Δ retrieval": RETRIEVAL, "Δ CKA": CKA}
    rows = []
    for knob, (first, *others) in view.grid.items():
        for value in others:
            found = {head: view.effect(knob, value, measure) for head, measure in measures.items()}
            rows.append(spread_row({"knob": knob, "value": value, "instead of": first}, **found))
    return Table(
        "effects", "What each value of a knob does",
        "Points above or below the knob's first value, paired by seed and by the settings of the other knobs; CKA "
        "times 100. Hover for 95% intervals over seeds.",
        pd.DataFrame(rows), index=("knob", "value", "instead of"), signed=tuple(measures), best="max", shade=True,
    )  # fmt: skip


def settings(view: VaryView) -> Table:
    """A row per setting."""
    rows = []
    for levels in view.settings():
        own = pick(view.encoders, **levels)
        found = {
            "retrieval": view.level(levels),
            "untrained": view.level(levels, UNTRAINED),
            "CKA": view.level(levels, measure=CKA),
            "shared text": spread(own[["shared"]].to_numpy(), limits=POSSIBLE),
            "perplexity": spread(own[["perplexity"]].to_numpy()),
        }
        rows.append(spread_row(levels, **found))
    return Table(
        "settings", "Every setting of the knobs",
        "Translations found in % by the pretrained encoder and by its untrained twin, mean CKA over layers times 100, "
        "the share of running text in entries that both languages have, and perplexity on held-out text.",
        pd.DataFrame(rows), index=tuple(view.grid),
        values=("retrieval", "untrained", "CKA", "shared text", "perplexity"),
    )  # fmt: skip
