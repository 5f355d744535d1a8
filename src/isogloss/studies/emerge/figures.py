"""Figures: zero-shot scores as bars (Wu20 Fig. 3), differences to the default, retrieval and CKA by layer."""

from collections.abc import Iterator
from itertools import product

import pandas as pd

from isogloss.studies.emerge.plan.treatments import APART, DEFAULT, MONOLINGUAL, UNTRAINED
from isogloss.studies.emerge.view import EmergeView
from isogloss.studies.figure import SPREAD
from isogloss.studies.result import Figure
from isogloss.studies.shared.comparison import spread
from isogloss.studies.shared.meeting import RETRIEVAL

FACTORS = ("domain", "anchors", "sharing")
SHOWN = (DEFAULT, "no-anchors", "sep-emb", "sep-emb-most")  # the other lines step back


def figures_of(view: EmergeView) -> Iterator[Figure]:
    """The first one is the main one."""
    yield transfer(view)
    if any(view.others(*FACTORS)):
        yield differences(view)
    if len(view.pairs) > 1:
        yield distance(view)
    if len(view.layers):
        yield profile(view, RETRIEVAL, view.pools[0])
        yield profile(view, view.cka_kind, view.pools[-1])


def transfer(view: EmergeView) -> Figure:
    """Scores by condition, a bar per pair."""
    rows = [
        (task, treatment.label(view.depth), pair, *found.columns())
        for task, treatment, pair in product(view.columns, view.treatments, view.whole_pairs)
        if (found := view.level(treatment.name, (task,), (pair,))).n
    ]
    return Figure(
        "transfer", "Zero-shot transfer under every condition", "bars",
        pd.DataFrame(rows, columns=["task", "condition", "pair", *SPREAD]),
        reading="Score in the target language after fine-tuning in the source only. A condition that removes "
        "nothing important is as high as the default; the controls show what is left without any cross-lingual "
        "structure.",
        intervals="Lines are 95% intervals over seeds.",
        alt="Bars of zero-shot scores by condition and pair of languages, the default first and the controls last.",
        x="condition", series="pair", facet="task", y_title="points", decimals=1, paper="Wu20 Fig. 3",
    )  # fmt: skip


def differences(view: EmergeView) -> Figure:
    """What each condition costs, a bar per task, mean over pairs."""
    rows = [
        (treatment.label(view.depth), task, *found.columns())
        for treatment, task in product(view.others(*FACTORS), view.columns)
        if (found := view.gain(treatment.name, (task,))).n
    ]
    return Figure(
        "differences", "What each factor costs", "bars", pd.DataFrame(rows, columns=["condition", "task", *SPREAD]),
        reading="Points above or below the default, mean over pairs, paired by seed; an interval that includes zero "
        "is inconclusive.",
        alt="Bars of differences to the default encoder by condition and task.",
        x="condition", series="task", y_title="points above the default", decimals=1, paper="Wu20 Table 1",
    )  # fmt: skip


def distance(view: EmergeView) -> Figure:
    """The default and the controls by pair."""
    rows = [
        (task, pair, treatment.label(view.depth), *found.columns())
        for task, pair, treatment in product(view.columns, view.pairs, view.treatments)
        if treatment.group in ("default", "control") and (found := view.level(treatment.name, (task,), (pair,))).n
    ]
    return Figure(
        "distance", "How far apart may languages be?", "bars",
        pd.DataFrame(rows, columns=["task", "pair", "condition", *SPREAD]),
        reading="Score in the target language by pair of languages: the default encoder beside the controls.",
        alt="Bars of zero-shot scores by pair of languages for the default encoder and the controls.",
        x="pair", series="condition", facet="task", y_title="points", decimals=1, paper="Wu20 §4.4",
    )  # fmt: skip


def profile(view: EmergeView, measure: str, pool: str) -> Figure:
    """A measure by layer, a line per condition."""
    points = view.profile(measure, pool).groupby(["pair", "condition", "layer"], sort=False)
    rows = [
        (pair, view.label(str(condition)), layer, *spread(part[["value"]].to_numpy()).columns())
        for (pair, condition, layer), part in points
    ]
    retrieval = measure == RETRIEVAL
    what = "Translations found" if retrieval else f"{measure.removeprefix('cka_').capitalize()} CKA of translations"
    reading = (
        "Share of sentences whose nearest neighbour in the other language is their translation, both ways."
        if retrieval
        else "1 is the same up to rotation and scale. Untrained encoders have a high CKA too: compare with them."
    )
    return Figure(
        "retrieval" if retrieval else "cka", f"{what}, by layer", "profile",
        pd.DataFrame(rows, columns=["pair", "series", "layer", *SPREAD]),
        reading=f"{reading} Layer 0 is the embedding.",
        intervals="Bands are 95% intervals over seeds.",
        alt=f"{what} by layer, a line per condition, controls dashed.",
        facet="pair", facet_start=view.pairs[0],
        baselines=tuple(view.label(name) for name in (APART, MONOLINGUAL, UNTRAINED)),
        highlight=tuple(view.label(name) for name in SHOWN if view.has(name)),
        y_title="translations found" if retrieval else "CKA", paper="" if retrieval else "Wu20 Fig. 7",
    )  # fmt: skip
