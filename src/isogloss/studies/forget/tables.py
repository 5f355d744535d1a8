"""The tables of Tanti21: scores and language identification (1-2), clusters (3), settings (5); and differences."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pandas as pd

from isogloss.studies.forget import view as measures
from isogloss.studies.forget.cells import TASK, TEXT
from isogloss.studies.forget.config import INITIAL
from isogloss.studies.forget.view import CLUSTERED, MEASURED, PAPER, SCORE, SEARCHED, ForgetView
from isogloss.studies.result import Table
from isogloss.studies.shared.comparison import adjust, spread_of, spread_row
from isogloss.studies.shared.published import KEYS, published

MBERT = "bert-base-multilingual-cased"
PROBED = {
    "the paper's protocol": PAPER, "converged": measures.CONVERGED, "accuracy": measures.ACCURACY,
    "random labels": measures.CONTROL,
}  # fmt: skip
PRINTED = {  # (measure, data) -> the language and the measure that the paper names
    (measures.POOLED, ""): ("all", "macro F1"),
    (measures.POOLED_ACCURACY, ""): ("all", "accuracy"),
    (PAPER, TASK): (TASK, "identification"),
    (PAPER, TEXT): (TEXT, "identification"),
    **{(measure, data): (data, measure) for _, measure, data in CLUSTERED[:3]},
}


def tables_of(view: ForgetView) -> Iterator[Table]:
    """All tables that the run has numbers for."""
    yield scores(view)
    yield differences(view)
    yield probes(view)
    yield clusters(view)
    yield languages(view)
    if len(view.draws):
        yield search(view)
    if view.model.rpartition("/")[2] == MBERT:
        yield from published("tanti21", "Tanti21", measured(view))


def scores(view: ForgetView) -> Table:
    """The paper's Tables 1 and 2 in one, with both protocols of identification."""
    return Table.from_tidy(
        "scores", "The task, and whether languages can still be told apart",
        f"In points ({_measures(view)}; macro F1 for languages), means over seeds; signed numbers are differences to "
        f"'{view.reference}'. 'Converged' is a probe solved to its optimum; the paper's protocol reuses the task's "
        "rate and epochs, so a low number there may be an undertrained probe.",
        view.levels(MEASURED), rows=("task", "measured"), columns="condition", baseline_column=view.reference,
        decimals=1, paper="Tanti21 Tables 1-2",
    )  # fmt: skip


def _measures(view: ForgetView) -> str:
    return ", ".join(
        f"{task}: {measure.replace('_', ' ').replace('f1', 'F1')}" for task, measure in view.measures.items()
    )


def differences(view: ForgetView) -> Table:
    """What each condition changes, paired by seed and language."""
    pairs = {f"{after} − {before}": (after, before) for after, before in view.comparisons()}
    rows = []
    for task, (measured, measure, data) in product(view.tasks(), (*MEASURED, *CLUSTERED[:3])):
        row: dict[str, object] = {"task": task, "measured": measured}
        for head, pair in pairs.items():
            found = view.compared(task, pair, measure, data)
            row |= spread_of(head, found.estimate)
            row[f"{head}_p"] = found.p if measure == SCORE else np.nan  # no other measure is of single languages
        rows.append(row)
    return Table(
        "differences", "What fine-tuning changes, and what forgetting adds",
        "Differences in points, over the same seeds and languages; their intervals, over seeds, show on hover. Stars: "
        "permutation over languages, Holm's correction over all that are tested (only the task's mean is).",
        adjust(pd.DataFrame(rows), [f"{head}_p" for head in pairs]), index=("task", "measured"), values=tuple(pairs),
        signed=tuple(pairs), decimals=1,
    )  # fmt: skip


def probes(view: ForgetView) -> Table:
    """Both protocols side by side, with the control."""
    rows = []
    for task, data, condition in product(view.tasks(), (TASK, TEXT), view.conditions()):
        levels = {head: view.level(task, condition, measure, data) for head, measure in PROBED.items()}
        rows.append(spread_row({"task": task, "tested on": data, "condition": condition}, **levels))
    unsolved, solved = view.unconverged
    return Table(
        "probes", "How well languages are told apart, by both protocols",
        "Macro F1 by the paper's protocol and of a probe solved to its optimum, then that probe's accuracy beside the "
        "accuracy of one that learnt random labels (the control: what is found without a language in the states). "
        f"{solved - unsolved:,} of {solved:,} solved probes reached their optimum.",
        pd.DataFrame(rows), index=("task", "tested on", "condition"), values=tuple(PROBED), decimals=1,
        paper="Tanti21 Tables 1-2",
    )  # fmt: skip


def clusters(view: ForgetView) -> Table:
    """Agreement of k-means with labels and languages."""
    return Table.from_tidy(
        "clusters", "Do states cluster by label or by language?",
        "V-measure of k-means on full vectors, times 100 (mean of several runs, then over seeds). V-measure grows with "
        "the number of clusters even by chance; ARI (adjusted Rand index) is zero there. The share of variance between "
        "groups needs no clustering.",
        view.levels(CLUSTERED).rename(columns={"measured": "clusters against"}), rows=("task", "clusters against"),
        columns="condition", baseline_column=view.reference, decimals=1, paper="Tanti21 Table 3, captions of Figs. 3-6",
    )  # fmt: skip


def languages(view: ForgetView) -> Table:
    """The task, language by language."""
    return Table.from_tidy(
        "languages", "The task, language by language",
        f"In points ({_measures(view)}); signed numbers are differences to '{view.reference}'.",
        view.languages(), rows=("task", "language"), columns="condition", best="max", best_in="row",
        baseline_column=view.reference, decimals=1,
    )  # fmt: skip


def search(view: ForgetView) -> Table:
    """The settings that the random search chose."""
    rows = []
    for (task, condition), part in view.draws.groupby(["task", "condition"], sort=False):
        best = part[part["chosen"]].iloc[0]
        row = {"task": task, "condition": condition, "method": best["method"], "draws": len(part)}
        row |= {name: _setting(best[name]) for name in SEARCHED}
        row |= {"rate of the encoder": "–"} if condition == INITIAL else {}
        rows.append({**row, "validation": best["validation"], "median of draws": part["validation"].median()})
    return Table(
        "search", "Settings chosen by random search",
        "The best of the draws on the source's validation part, which alone was looked at; its score there beside the "
        "median of all draws, in points.",
        pd.DataFrame(rows), index=("task", "condition", "method"),
        values=("draws", *SEARCHED, "validation", "median of draws"), decimals=1, paper="Tanti21 Table 5",
    )  # fmt: skip


def _setting(value: object) -> str:
    number = float(value) if isinstance(value, int | float | np.number) else np.nan
    return "–" if np.isnan(number) else f"{number:g}"


def measured(view: ForgetView) -> pd.DataFrame:
    """What this run has of the paper's numbers: task, condition, language, measure, value."""
    rows = [
        (task, condition, *printed, view.level(task, condition, *own).value)
        for task, condition, (own, printed) in product(view.tasks(), view.conditions(), PRINTED.items())
    ]
    return pd.DataFrame(rows, columns=[*KEYS, "value"])
