"""The tables: Wu20's Table 1 with means and by pair, differences with intervals, distance, the source, the encoders."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from isogloss.probes.statistics import Estimate
from isogloss.studies.emerge.conditions import CONDITIONS, DEFAULT, GROUPS, VOCABULARIES, Condition
from isogloss.studies.emerge.view import SOURCE, View
from isogloss.studies.expectations import beside, load_expectations
from isogloss.studies.result import Table
from isogloss.studies.shared.comparison import spread

MEAN = "mean"
ABOUT = ("condition", "factor", "domains", "vocabulary", "shared", "softmax")


def tables_of(view: View) -> Iterator[Table]:
    """The first one is the main one."""
    yield means(view)
    if len(view.conditions) > 1:
        yield differences(view)
    yield by_pair(view)
    yield at_home(view)
    if len(view.pairs) > 1:
        yield distance(view)
    if len(view.layers):
        yield similarity(view)
    yield encoders(view)
    yield from published(view)


def spread_of(name: str, found: Estimate) -> dict[str, float]:
    return {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high, f"{name}_n": found.n}


def about(view: View, condition: Condition) -> dict[str, str]:
    """The columns of the paper's table that say what a row is."""
    own = condition.own_embeddings or condition.name == "apart"
    return {
        "condition": condition.label(view.depth),
        "factor": GROUPS[condition.group],
        "domains": "different" if condition.other_domain else "same",
        "vocabulary": VOCABULARIES[condition.scope] + (", code-switched" if condition.switched else ""),
        "shared": "nothing" if condition.name == "apart" else condition.shared(view.depth),
        "softmax": "one each" if own else "shared",
    }


def _pair_words(view: View) -> str:
    return ", ".join(view.whole_pairs)


def means(view: View) -> Table:
    """One row a condition, one column a task."""
    rows = []
    for condition in view.conditions:
        row: dict[str, object] = {"condition": condition.label(view.depth)}
        for task in view.columns:
            row |= spread_of(task, view.level(condition.name, (task,)))
        rows.append(row)
    return Table(
        "emergence",
        "What transfer needs: zero-shot scores in the target, mean over pairs",
        f"Points, fine-tuned in the source language only; pairs: {_pair_words(view)}. The signed number is the "
        "difference to the default; its interval is in the next table. Retrieval: translations found at the layer that "
        "other sentences choose.",
        pd.DataFrame(rows),
        index=("condition",),
        values=view.columns,
        best="max",
        baseline_row=view.label(DEFAULT),
        shade=True,
        paper="Wu20 Table 1",
    )


def differences(view: View) -> Table:
    """Differences to the default, paired by seed, for every task and for all together."""
    rows = []
    for condition in view.others():
        for label, pairs in _pair_choices(view):
            row: dict[str, object] = {"condition": condition.label(view.depth), "pair": label}
            for task in view.columns:
                row |= spread_of(task, view.gain(condition.name, (task,), pairs))
            rows.append(row | spread_of("all tasks", view.gain(condition.name, view.tasks, pairs)))
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


def _pair_choices(view: View) -> Iterator[tuple[str, tuple[str, ...]]]:
    if len(view.whole_pairs) > 1:
        yield MEAN, view.whole_pairs
    for pair in view.pairs:
        yield pair, (pair,)


def by_pair(view: View) -> Table:
    """The paper's own shape: a column a task and pair, then the mean."""
    rows, columns = [], []
    for condition in view.conditions:
        row: dict[str, object] = {**about(view, condition)}
        for task in view.columns:
            for label, pairs in (*((pair, (pair,)) for pair in view.pairs), (MEAN, view.whole_pairs)):
                columns.append(f"{task} {label}")
                row |= spread_of(columns[-1], view.level(condition.name, (task,), pairs))
        rows.append(row)
    return Table(
        "pairs",
        "Zero-shot scores by pair of languages",
        f"Points. The mean is over {_pair_words(view)}: the pairs that have every condition.",
        pd.DataFrame(rows),
        index=ABOUT,
        values=tuple(dict.fromkeys(columns)),
        best="max",
        paper="Wu20 Table 1",
    )


def at_home(view: View) -> Table:
    """The source language itself: a loss that is also here is no loss of transfer."""
    rows = []
    for condition in view.conditions:
        row: dict[str, object] = {"condition": condition.label(view.depth)}
        for task in view.tasks:
            row |= spread_of(task, view.level(condition.name, (task,), role=SOURCE))
        rows.append(row)
    return Table(
        "home",
        "The same encoders in the source language",
        f"Points in the language of the supervision; pairs: {_pair_words(view)}. What is lost here too is not lost in "
        "transfer.",
        pd.DataFrame(rows),
        index=("condition",),
        values=view.tasks,
        best="max",
        baseline_row=view.label(DEFAULT),
    )


def distance(view: View) -> Table:
    """The default for every pair, with the untrained encoder and nothing shared beside it."""
    rows = []
    for pair in view.pairs:
        for condition in view.conditions:
            if condition.group in ("default", "control") and len(view.of(condition.name, view.tasks, (pair,))):
                row: dict[str, object] = {"pair": pair, "condition": condition.label(view.depth)}
                for task in view.columns:
                    row |= spread_of(task, view.level(condition.name, (task,), (pair,)))
                rows.append(row)
    return Table(
        "distance",
        "Language distance",
        "Zero-shot scores of the default encoder by pair, beside the controls; points.",
        pd.DataFrame(rows),
        index=("pair", "condition"),
        values=view.columns,
        paper="Wu20 §4.4",
    )


def similarity(view: View) -> Table:
    """CKA, mean over layers, of every kind that was measured, and retrieval."""
    kinds = sorted({name for name in view.layers["measure"] if name.startswith("cka_")})
    rows = []
    for condition in view.conditions:
        for pair in view.pairs:
            row: dict[str, object] = {"condition": condition.label(view.depth), "pair": pair}
            for kind in (*kinds, "retrieval"):
                table = view.of(condition.name, (kind,), (pair,)).pivot_table(index="seed", values="value")
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


def encoders(view: View) -> Table:
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


def published(view: View) -> Iterator[Table]:
    """The paper's differences beside these, whatever the size; its scores too, where pairs are the paper's."""
    paper = load_expectations("wu20")
    paper = paper[paper["item"] == "Table 1"]
    joined = published_differences(view, paper)
    if len(joined):
        yield Table(
            "paper",
            "Differences to the default, in the paper and here",
            "Means over pairs, in points; the paper's pairs are English with French, Russian and Chinese.",
            joined,
            index=("condition", "task"),
            values=("published", "measured"),
            signed=("published", "measured"),
            paper="Wu20 Table 1",
        )
    scores = beside(paper, measured(view), ["task", "condition", "language", "measure"])
    scores = scores[scores["language"] != MEAN] if not set(view.pairs) & {"fr", "ru", "zh"} else scores
    if len(scores):
        yield Table(
            "published",
            "Published and measured scores",
            "Numbers of the paper beside those of this run, and the difference.",
            scores,
            index=("item", "task", "condition", "language", "measure"),
            values=("published", "measured", "difference"),
            signed=("difference",),
            paper="Wu20 Table 1",
        )


def published_differences(view: View, paper: pd.DataFrame) -> pd.DataFrame:
    """condition, task, published, measured: of the conditions and tasks that both have."""
    printed = paper[paper["language"] == MEAN].set_index(["condition", "task"])["value"]
    rows = []
    for condition in view.others():
        for task in view.tasks:
            if (condition.name, task) in printed.index:
                delta = float(printed[condition.name, task] - printed[DEFAULT, task])
                found = view.gain(condition.name, (task,))
                if np.isfinite(found.value):
                    rows.append({"condition": condition.label(view.depth), "task": task, "published": delta,
                                 **spread_of("measured", found)})  # fmt: skip
    return pd.DataFrame(rows)


def measured(view: View) -> pd.DataFrame:
    """What this run has of the paper's numbers: task, condition, language (the pair's name), measure, value."""
    rows = []
    for name in (condition.name for condition in view.conditions if condition.name in CONDITIONS):
        for task in view.tasks:
            for label, pairs in (*((pair, (pair,)) for pair in view.pairs), (MEAN, view.whole_pairs)):
                found = view.level(name, (task,), pairs)
                if np.isfinite(found.value):
                    rows.append((task, name, label, "score", found.value))
    return pd.DataFrame(rows, columns=["task", "condition", "language", "measure", "value"])
