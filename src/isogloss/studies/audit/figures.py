"""The figures of an audit: who finds whom, and what treatments do."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from isogloss.languages import language_name
from isogloss.studies.audit.cells import TREATMENTS
from isogloss.studies.audit.view import AuditView
from isogloss.studies.result import Figure
from isogloss.studies.shared.comparison import spread_frame


def figures_of(view: AuditView) -> Iterator[Figure]:
    """Who finds whom first."""
    yield who_finds_whom(view)
    yield treatments(view)


def who_finds_whom(view: AuditView) -> Figure:
    rows = []
    for one in view.models:
        for treatment in TREATMENTS:
            shown = treatment if len(view.models) == 1 else f"{one.name}, {treatment}"
            names = [language_name(code) for code in one.record.languages]
            for query, shares in zip(names, one.beyond(treatment).tolist(), strict=True):
                rows += [(shown, query, *found) for found in zip(names, shares, strict=True)]
    frame = pd.DataFrame(rows, columns=["pool", "query", "document", "value"])
    top = frame.iloc[int(np.abs(frame["value"].to_numpy()).argmax())]
    return Figure(
        "who-finds-whom", "Who finds whom", "heatmap", frame,
        reading="Points of the nearest ten beyond a language's share of the pool: 0 everywhere means no bias; a "
        "warm diagonal means that texts find their own language.",
        alt=f"The largest departure is {top['value']:+.1f} points, {top['query']} finding {top['document']}.",
        x="document", y="query", facet="pool", facet_start=str(frame["pool"].iloc[0]), value_title="points",
        diverging=True, annotate=True, decimals=1,
    )  # fmt: skip


def treatments(view: AuditView) -> Figure:
    rows = [(name, one.name, one.bias(name)) for one in view.models for name in TREATMENTS]
    frame = spread_frame(("treatment", "model"), rows)
    return Figure(
        "treatments", "The bias towards a query's own language, before and after", "bars", frame,
        reading="Points of the nearest ten in the query's own language beyond its share; intervals over sentences.",
        alt=f"Bias by treatment; as it is {frame['value'].iloc[0]:+.1f} points.",
        x="treatment", series="model", y_title="points beyond its share", decimals=1,
    )  # fmt: skip
