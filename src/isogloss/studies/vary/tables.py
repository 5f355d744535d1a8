"""Tables: every setting of the knobs with what was measured; what each value of a knob does."""

from collections.abc import Iterator

import pandas as pd

from isogloss.studies.result import Table
from isogloss.studies.shared.comparison import POSSIBLE, spread, spread_of
from isogloss.studies.shared.meeting import RETRIEVAL
from isogloss.studies.vary.view import CKA, UNTRAINED, VaryView


def tables_of(view: VaryView) -> Iterator[Table]:
    """The first one is the main one."""
    yield effects(view)
    yield settings(view)


def effects(view: VaryView) -> Table:
    """A row per knob and value but its first."""
    rows = [
        {
            **{"knob": knob, "value": value, "instead of": levels[0]},
            **spread_of("Δ retrieval", view.effect(knob, value, RETRIEVAL)),
            **spread_of("Δ CKA", view.effect(knob, value, CKA)),
        }
        for knob, levels in view.grid.items()
        for value in levels[1:]
    ]
    return Table(
        "effects",
        "What each value of a knob does",
        "Points above or below the knob's first value, paired by seed and by the settings of the other knobs; CKA "
        "times 100. Hover for 95% intervals over seeds.",
        pd.DataFrame(rows),
        index=("knob", "value", "instead of"),
        signed=("Δ retrieval", "Δ CKA"),
        best="max",
        shade=True,
    )


def settings(view: VaryView) -> Table:
    """A row per setting."""
    rows = []
    for levels in view.settings():
        own = view.encoders
        for knob, value in levels.items():
            own = own[own[knob] == value]
        rows.append(
            {
                **levels,
                **spread_of("retrieval", view.level(levels)),
                **spread_of("untrained", view.level(levels, UNTRAINED)),
                **spread_of("CKA", view.level(levels, measure=CKA)),
                **spread_of("shared text", spread(own[["shared"]].to_numpy(), limits=POSSIBLE)),
                **spread_of("perplexity", spread(own[["perplexity"]].to_numpy())),
            }
        )
    return Table(
        "settings",
        "Every setting of the knobs",
        "Translations found in % by the pretrained encoder and by its untrained twin, mean CKA over layers times 100, "
        "the share of running text in entries that both languages have, and perplexity on held-out text.",
        pd.DataFrame(rows),
        index=tuple(view.grid),
        values=("retrieval", "untrained", "CKA", "shared text", "perplexity"),
    )
