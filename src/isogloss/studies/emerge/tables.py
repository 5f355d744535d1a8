"""The tables: Wu20's Table 1 with means and by pair, differences with intervals, distance, the source, the encoders."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from isogloss.studies.columns import HOME
from isogloss.studies.emerge.plan.treatments import DEFAULT, GROUPS, TREATMENTS, VOCABULARIES, Treatment
from isogloss.studies.emerge.view import BEST_TWO, EmergeView
from isogloss.studies.expectations import load_expectations
from isogloss.studies.result import Table
from isogloss.studies.shared.comparison import spread, spread_of, spread_row
from isogloss.studies.shared.published import KEYS, published

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
    rows = [
        spread_row(_condition(view, one), **{task: view.level(one.name, (task,)) for task in view.columns})
        for one in view.treatments
    ]
    return Table(
        "emergence",
        "What transfer needs: zero-shot scores in the target, mean over pairs",
        f"Points, fine-tuned in the source language only; pairs: {_pair_words(view)}. The signed number is the "
        "difference to the default; its interval is in the next table. Retrieval: translations found at the layer that "
        f"other sentences choose.{_search_words(view)}",
        pd.DataFrame(rows),
        index=("condition",),
        values=view.columns,
        best="max",
        baseline_row=view.label(DEFAULT),
        shade=True,
        paper="Wu20 Table 1",
    )


def differences(view: EmergeView) -> Table:
    """Differences to the default, paired by seed, for every task and for all together."""
    rows = []
    for treatment in view.others():
        for label, pairs in _pair_choices(view):
            gains = {task: view.gain(treatment.name, (task,), pairs) for task in view.columns}
            gains["all tasks"] = view.gain(treatment.name, view.tasks, pairs)
            rows.append(spread_row({**_condition(view, treatment), "pair": label}, **gains))
    frame = pd.DataFrame(rows)
    shown = (*view.columns, "all tasks")
    return Table(
        "differences",
        "Differences to the default",
        "Points above (+) or below (-) the default, paired by seed; 95% intervals over seeds on hover. All tasks: mean "
        "over the fine-tuned tasks, without retrieval.",
        frame[frame[list(shown)].notna().any(axis=1)].reset_index(drop=True),
        index=("condition", "pair"),
        values=shown,
        best="max",
        signed=shown,
        shade=True,
        paper="Wu20 Table 1",
    )


def _pair_choices(view: EmergeView) -> Iterator[tuple[str, tuple[str, ...]]]:
    if len(view.whole_pairs) > 1:
        yield MEAN, view.whole_pairs
    for pair in view.pairs:
        yield pair, (pair,)


def by_pair(view: EmergeView) -> Table:
    """The paper's own shape: a column per task and pair, then the mean."""
    rows, columns = [], []
    for treatment in view.treatments:
        row: dict[str, object] = {**about(view, treatment)}
        for task in view.columns:
            for label, pairs in (*((pair, (pair,)) for pair in view.pairs), (MEAN, view.whole_pairs)):
                columns.append(f"{task} {label}")
                row |= spread_of(columns[-1], view.level(treatment.name, (task,), pairs))
        rows.append(row)
    return Table(
        "pairs",
        "Zero-shot scores by pair of languages",
        f"Points. The mean is over {_pair_words(view)}: the pairs that have every condition.{_search_words(view)}",
        pd.DataFrame(rows),
        index=ABOUT,
        values=tuple(dict.fromkeys(columns)),
        best="max",
        paper="Wu20 Table 1",
    )


def at_home(view: EmergeView) -> Table:
    """The source language itself: a loss that also appears here is not a loss of transfer."""
    rows = [
        spread_row(_condition(view, one), **{task: view.level(one.name, (task,), side=HOME) for task in view.tasks})
        for one in view.treatments
    ]
    return Table(
        "home",
        "The same encoders in the source language",
        f"Points in the language of the supervision; pairs: {_pair_words(view)}. A loss that also appears here is "
        "not a loss of transfer.",
        pd.DataFrame(rows),
        index=("condition",),
        values=view.tasks,
        best="max",
        baseline_row=view.label(DEFAULT),
    )


def distance(view: EmergeView) -> Table:
    """The default for every pair, with the untrained encoder and nothing shared beside it."""
    rows = []
    for pair in view.pairs:
        for treatment in view.treatments:
            if treatment.group in ("default", "control") and len(view.of(treatment.name, view.tasks, (pair,))):
                levels = {task: view.level(treatment.name, (task,), (pair,)) for task in view.columns}
                rows.append(spread_row({"pair": pair, **_condition(view, treatment)}, **levels))
    return Table(
        "distance",
        "Language distance",
        "Zero-shot scores of the default encoder by pair, beside the controls; points.",
        pd.DataFrame(rows),
        index=("pair", "condition"),
        values=view.columns,
        paper="Wu20 §4.4",
    )


def similarity(view: EmergeView) -> Table:
    """CKA, mean over layers, of every kind that was measured, and retrieval."""
    kinds = sorted({name for name in view.layers["measure"] if name.startswith("cka_")})
    rows = []
    for treatment in view.treatments:
        for pair in view.pairs:
            row: dict[str, object] = {"condition": treatment.label(view.depth), "pair": pair}
            for kind in (*kinds, "retrieval"):
                table = view.of(treatment.name, (kind,), (pair,)).pivot_table(index="seed", values="value")
                row |= spread_of(kind.replace("_", ", "), spread(table.to_numpy()))
            if np.isfinite(row["retrieval"]):  # type: ignore[call-overload]
                rows.append(row)
    return Table(
        "similarity",
        "How alike translations are",
        f"CKA of translations, mean over all layers ({view.pools[-1] or 'parallel text'}); retrieval is a share of the "
        f"sentences ({view.pools[0] or 'parallel text'}). Untrained encoders have a high CKA too: compare.",
        pd.DataFrame(rows),
        index=("condition", "pair"),
        values=(*(kind.replace("_", ", ") for kind in kinds), "retrieval"),
        decimals=3,
        paper="Wu20 Fig. 7",
    )


def encoders(view: EmergeView) -> Table:
    """What pretraining says of itself, means over seeds."""
    values = ["steps", "anchors", "perplexity source", "perplexity target", "seconds"]
    frame = view.encoders.reindex(columns=[*view.encoders.columns, *(v for v in values if v not in view.encoders)])
    table = frame.groupby(["pair", "condition"], sort=False)[values].mean().reset_index()
    table["condition"] = [view.label(name) for name in table["condition"]]
    return Table(
        "encoders",
        "The encoders",
        "Means over seeds. Anchors: the share of running text, in %, whose entries the other language has too. "
        "Perplexities of different vocabularies cannot be compared.",
        table.rename(columns={"anchors": "anchors, %"}),
        index=("pair", "condition"),
        values=("steps", "anchors, %", "perplexity source", "perplexity target", "seconds"),
    )


def in_the_paper(view: EmergeView) -> Iterator[Table]:
    """The paper's differences beside these, whatever the size; its scores too, where pairs are the paper's."""
    paper = load_expectations("wu20")
    joined = published_differences(view, paper[paper["item"] == TABLE_1])
    two = ("best two",) if view.searched else ()
    if len(joined):
        yield Table(
            "paper",
            "Differences to the default, in the paper and here",
            "Means over pairs, in points; the paper's pairs are English with French, Russian and Chinese."
            + _search_words(view),
            joined,
            index=("condition", "task"),
            values=("published", "measured", *two),
            signed=("published", "measured", *two),
            paper="Wu20 Table 1",
        )
    yield from published(
        "wu20",
        "Wu20 Table 1",
        measured(view),
        (TABLE_1,),
        also={name: measured(view, BEST_TWO) for name in two},
        note=f" The paper's are means of the best two settings of a search.{_search_words(view)}",
    )


def _printed_pairs(view: EmergeView) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The pairs of this run; their mean only where it is over the paper's three."""
    yield from ((pair, (pair,)) for pair in view.pairs)
    if set(view.whole_pairs) == PAPERS_PAIRS:
        yield MEAN, view.whole_pairs


def published_differences(view: EmergeView, paper: pd.DataFrame) -> pd.DataFrame:
    """condition, task, published, measured: of the conditions and tasks that both have."""
    printed = paper[paper["language"] == MEAN].set_index(["condition", "task"])["value"]
    rows = []
    for treatment in view.others():
        for task in view.tasks:
            if (treatment.name, task) in printed.index:
                delta = float(printed[treatment.name, task] - printed[DEFAULT, task])
                found = view.gain(treatment.name, (task,))
                if np.isfinite(found.value):
                    row = {"condition": treatment.label(view.depth), "task": task, "published": delta}
                    row |= spread_of("measured", found)
                    if task in view.searched:
                        row |= spread_of("best two", view.gain(treatment.name, (task + BEST_TWO,)))
                    rows.append(row)
    return pd.DataFrame(rows)


def measured(view: EmergeView, which: str = "") -> pd.DataFrame:
    """What this run has of the paper's numbers: task, condition, language (the pair's name), measure, value.

    ``which`` is nothing for the one setting of the plan, or ``BEST_TWO``.
    """
    rows = []
    for name in (treatment.name for treatment in view.treatments if treatment.name in TREATMENTS):
        for task in view.tasks:
            for label, pairs in _printed_pairs(view):
                found = view.level(name, (task + which,), pairs)
                if np.isfinite(found.value) and not _has_stand_in(view, task, pairs):
                    rows.append((task, name, label, "score", found.value))
    return pd.DataFrame(rows, columns=[*KEYS, "value"])


def _has_stand_in(view: EmergeView, task: str, pairs: tuple[str, ...]) -> bool:
    """Whether a pair's scores are of other data than the paper's."""
    other = [(pair, STAND_INS[task, pair]) for pair in pairs if (task, pair) in STAND_INS]
    scores = view.scores[view.scores["task"] == task]
    return any(((scores["pair"] == pair) & (scores["text"] == data)).any() for pair, data in other)
