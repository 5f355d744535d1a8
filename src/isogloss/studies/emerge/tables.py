"""The tables: Wu20's Table 1 with means and by pair, differences with intervals, distance, the source, the encoders."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd

from isogloss.studies.columns import HOME
from isogloss.studies.emerge.plan.treatments import DEFAULT, GROUPS, TREATMENTS, VOCABULARIES, Treatment
from isogloss.studies.emerge.view import BEST_TWO, EmergeView
from isogloss.studies.expectations import load_expectations
from isogloss.studies.result import Table
from isogloss.studies.shared.comparison import spread, spread_row
from isogloss.studies.shared.published import KEYS, published
from isogloss.studies.shared.scores import pick

MEAN = "mean"
TABLE_1 = "Table 1"
PAPERS_PAIRS = {"fr", "ru", "zh"}  # English with each
STAND_INS = {("ner", "zh"): "wikiann"}  # other data than the paper's (section 3.2): such scores are not compared
ABOUT = ("condition", "factor", "domains", "vocabulary", "shared", "softmax")


def tables_of(view: EmergeView) -> Iterator[Table]:
    """The first one is the main one."""
    yield means(view)
    if len(view.treatments) > 1:
        yield differences(view)
    yield by_pair(view)
    yield at_home(view)
    if len(view.pairs) > 1:
        yield distance(view)
    if len(view.layers):
        yield similarity(view)
    yield encoders(view)
    yield from in_the_paper(view)


def about(view: EmergeView, treatment: Treatment) -> dict[str, str]:
    """The columns of the paper's table that say what a row is."""
    own = treatment.own_embeddings or treatment.name == "apart"
    return {
        "condition": treatment.label(view.depth),
        "factor": GROUPS[treatment.group],
        "domains": "different" if treatment.other_domain else "same",
        "vocabulary": VOCABULARIES[treatment.scope] + (", code-switched" if treatment.switched else ""),
        "shared": "nothing" if treatment.name == "apart" else treatment.shared(view.depth),
        "softmax": "one each" if own else "shared",
    }


def _condition(view: EmergeView, treatment: Treatment) -> dict[str, str]:
    return {"condition": treatment.label(view.depth)}


def _pair_words(view: EmergeView) -> str:
    return ", ".join(view.whole_pairs)


def _search_words(view: EmergeView) -> str:
    """What a search adds to a table."""
    said = (
        " Best two: the mean of the two settings of the search with the highest scores on the source's validation part."
    )
    return said if view.searched else ""


def means(view: EmergeView) -> Table:
    """A row per condition, a column per task."""
    rows = [spread_row(_condition(view, one), **view.levels(one.name, view.columns)) for one in view.treatments]
    return Table(
        "emergence", "What transfer needs: zero-shot scores in the target, mean over pairs",
        f"Points, fine-tuned in the source language only; pairs: {_pair_words(view)}. The signed number is the "
        "difference to the default; its interval is in the next table. Retrieval: translations found at the layer that "
        f"other sentences choose.{_search_words(view)}",
        pd.DataFrame(rows), index=("condition",), values=view.columns, best="max",
        baseline_row=view.label(DEFAULT), shade=True, paper="Wu20 Table 1",
    )  # fmt: skip


def differences(view: EmergeView) -> Table:
    """Differences to the default, paired by seed, for every task and for all together."""
    several = [(MEAN, view.whole_pairs)] if len(view.whole_pairs) > 1 else []
    rows = []
    for treatment, (label, pairs) in product(view.others(), [*several, *((pair, (pair,)) for pair in view.pairs)]):
        gains = {task: view.gain(treatment.name, (task,), pairs) for task in view.columns}
        gains["all tasks"] = view.gain(treatment.name, view.tasks, pairs)
        rows.append(spread_row({**_condition(view, treatment), "pair": label}, **gains))
    shown = (*view.columns, "all tasks")
    return Table(
        "differences", "Differences to the default",
        "Points above (+) or below (-) the default, paired by seed; 95% intervals over seeds on hover. All tasks: mean "
        "over the fine-tuned tasks, without retrieval.",
        pd.DataFrame(rows).dropna(subset=list(shown), how="all", ignore_index=True), index=("condition", "pair"),
        values=shown, best="max", signed=shown, shade=True, paper="Wu20 Table 1",
    )  # fmt: skip


def by_pair(view: EmergeView) -> Table:
    """The paper's own shape: a column per task and pair, then the mean."""
    choices = {**{pair: (pair,) for pair in view.pairs}, MEAN: view.whole_pairs}
    columns = {f"{task} {label}": (task, pairs) for task in view.columns for label, pairs in choices.items()}
    rows = []
    for one in view.treatments:
        levels = {head: view.level(one.name, (task,), pairs) for head, (task, pairs) in columns.items()}
        rows.append(spread_row(about(view, one), **levels))
    return Table(
        "pairs", "Zero-shot scores by pair of languages",
        f"Points. The mean is over {_pair_words(view)}: the pairs that have every condition.{_search_words(view)}",
        pd.DataFrame(rows), index=ABOUT, values=tuple(columns), best="max", paper="Wu20 Table 1",
    )  # fmt: skip


def at_home(view: EmergeView) -> Table:
    """The source language itself: a loss that also appears here is not a loss of transfer."""
    rows = [
        spread_row(_condition(view, one), **view.levels(one.name, view.tasks, side=HOME)) for one in view.treatments
    ]
    return Table(
        "home", "The same encoders in the source language",
        f"Points in the language of the supervision; pairs: {_pair_words(view)}. A loss that also appears here is "
        "not a loss of transfer.",
        pd.DataFrame(rows), index=("condition",), values=view.tasks, best="max", baseline_row=view.label(DEFAULT),
    )  # fmt: skip


def distance(view: EmergeView) -> Table:
    """The default for every pair, with the untrained encoder and nothing shared beside it."""
    rows = [
        spread_row({"pair": pair, **_condition(view, one)}, **view.levels(one.name, view.columns, (pair,)))
        for pair, one in product(view.pairs, view.treatments)
        if one.group in ("default", "control") and len(view.of(one.name, view.tasks, (pair,)))
    ]
    return Table(
        "distance", "Language distance",
        "Zero-shot scores of the default encoder by pair, beside the controls; points.",
        pd.DataFrame(rows), index=("pair", "condition"), values=view.columns, paper="Wu20 §4.4",
    )  # fmt: skip


def similarity(view: EmergeView) -> Table:
    """CKA, mean over layers, of every kind that was measured, and retrieval."""
    kinds = (*sorted({name for name in view.layers["measure"] if name.startswith("cka_")}), "retrieval")
    heads = {kind.replace("_", ", "): kind for kind in kinds}
    rows = []
    for treatment, pair in product(view.treatments, view.pairs):
        mine = {head: view.of(treatment.name, (kind,), (pair,)) for head, kind in heads.items()}
        tables = {head: one.pivot_table(index="seed", values="value") for head, one in mine.items()}
        found = {head: spread(table.to_numpy()) for head, table in tables.items()}
        if np.isfinite(found["retrieval"].value):
            rows.append(spread_row({**_condition(view, treatment), "pair": pair}, **found))
    return Table(
        "similarity", "How alike translations are",
        f"CKA of translations, mean over all layers ({view.pools[-1] or 'parallel text'}); retrieval is a share of the "
        f"sentences ({view.pools[0] or 'parallel text'}). Untrained encoders have a high CKA too: compare.",
        pd.DataFrame(rows), index=("condition", "pair"), values=tuple(heads), decimals=3, paper="Wu20 Fig. 7",
    )  # fmt: skip


def encoders(view: EmergeView) -> Table:
    """What pretraining says of itself, means over seeds."""
    values = ["steps", "anchors, %", "perplexity source", "perplexity target", "seconds"]
    frame = view.encoders.rename(columns={"anchors": "anchors, %"}).reindex(columns=["pair", "condition", *values])
    table = frame.groupby(["pair", "condition"], sort=False)[values].mean().reset_index()
    table["condition"] = [view.label(name) for name in table["condition"]]
    return Table(
        "encoders", "The encoders",
        "Means over seeds. Anchors: the share of running text, in %, whose entries the other language has too. "
        "Perplexities of different vocabularies cannot be compared.",
        table, index=("pair", "condition"), values=tuple(values),
    )  # fmt: skip


def in_the_paper(view: EmergeView) -> Iterator[Table]:
    """The paper's differences beside these, whatever the size; its scores too, where pairs are the paper's."""
    joined = published_differences(view)
    two = ("best two",) if view.searched else ()
    if len(joined):
        yield Table(
            "paper", "Differences to the default, in the paper and here",
            "Means over pairs, in points; the paper's pairs are English with French, Russian and Chinese."
            + _search_words(view),
            joined, index=("condition", "task"), values=("published", "measured", *two),
            signed=("published", "measured", *two), paper="Wu20 Table 1",
        )  # fmt: skip
    yield from published(
        "wu20", "Wu20 Table 1", measured(view), (TABLE_1,), also={name: measured(view, BEST_TWO) for name in two},
        note=f" The paper's are means of the best two settings of a search.{_search_words(view)}",
    )  # fmt: skip


def published_differences(view: EmergeView) -> pd.DataFrame:
    """condition, task, published, measured: of the conditions and tasks that both have."""
    paper = pick(load_expectations("wu20"), item=TABLE_1, language=MEAN)
    printed = paper.set_index(["condition", "task"])["value"]
    rows = []
    for treatment, task in product(view.others(), view.tasks):
        found = view.gain(treatment.name, (task,))
        if (treatment.name, task) in printed.index and np.isfinite(found.value):
            delta = float(printed[treatment.name, task] - printed[DEFAULT, task])
            best = {"best two": view.gain(treatment.name, (task + BEST_TWO,))} if task in view.searched else {}
            names = {**_condition(view, treatment), "task": task, "published": delta}
            rows.append(spread_row(names, measured=found, **best))
    return pd.DataFrame(rows)


def measured(view: EmergeView, which: str = "") -> pd.DataFrame:
    """What this run has of the paper's numbers: task, condition, language (the pair's name), measure, value. The mean
    over pairs only where it is over the paper's three.

    ``which`` is nothing for the one setting of the plan, or ``BEST_TWO``.
    """
    choices: dict[str, tuple[str, ...]] = {pair: (pair,) for pair in view.pairs}
    if set(view.whole_pairs) == PAPERS_PAIRS:
        choices[MEAN] = view.whole_pairs
    names = [treatment.name for treatment in view.treatments if treatment.name in TREATMENTS]
    rows = [
        (task, name, label, "score", found.value)
        for name, task, (label, pairs) in product(names, view.tasks, choices.items())
        if np.isfinite((found := view.level(name, (task + which,), pairs)).value)
        and not _has_stand_in(view, task, pairs)
    ]
    return pd.DataFrame(rows, columns=[*KEYS, "value"])


def _has_stand_in(view: EmergeView, task: str, pairs: tuple[str, ...]) -> bool:
    """Whether a pair's scores are of other data than the paper's."""
    other = [(pair, STAND_INS[task, pair]) for pair in pairs if (task, pair) in STAND_INS]
    scores = view.scores[view.scores["task"] == task]
    return any(((scores["pair"] == pair) & (scores["text"] == data)).any() for pair, data in other)
