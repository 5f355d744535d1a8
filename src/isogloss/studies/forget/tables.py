"""The tables of Tanti21: scores and language identification (1-2), clusters (3), settings (5); and differences."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from isogloss.studies.forget.cells import TASK, TEXT
from isogloss.studies.forget.config import INITIAL
from isogloss.studies.forget.view import (
    ACCURACY,
    ARI_LABELS,
    ARI_LANGUAGES,
    CONTROL,
    CONVERGED,
    LABELS,
    LANGUAGES,
    PAPER,
    POOLED,
    POOLED_ACCURACY,
    SCORE,
    SHARE_LABELS,
    SHARE_LANGUAGES,
    ForgetView,
)  # fmt: skip
from isogloss.studies.result import Table
from isogloss.studies.shared.comparison import adjust, level, spread_of, spread_row
from isogloss.studies.shared.published import KEYS, published

MBERT = "bert-base-multilingual-cased"
# What a row says, its measure and its data; in the order of the paper's tables.
MEASURED = (
    ("task, mean over languages", SCORE, ""),
    ("task, all languages pooled", POOLED, ""),
    ("languages of task data, the paper's protocol", PAPER, TASK),
    ("languages of task data, converged", CONVERGED, TASK),
    ("languages of text, the paper's protocol", PAPER, TEXT),
    ("languages of text, converged", CONVERGED, TEXT),
)
CLUSTERED = (
    ("labels, task data", LABELS, TASK),
    ("languages, task data", LANGUAGES, TASK),
    ("languages, text", LANGUAGES, TEXT),
    ("labels, task data (ARI)", ARI_LABELS, TASK),
    ("languages, task data (ARI)", ARI_LANGUAGES, TASK),
    ("languages, text (ARI)", ARI_LANGUAGES, TEXT),
    ("labels, task data (share of variance)", SHARE_LABELS, TASK),
    ("languages, task data (share of variance)", SHARE_LANGUAGES, TASK),
    ("languages, text (share of variance)", SHARE_LANGUAGES, TEXT),
)


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
    return Table(
        "scores",
        "The task, and whether languages can still be told apart",
        f"In points ({_measures(view)}; macro F1 for languages), means over seeds; signed numbers are differences to "
        f"'{view.reference}'. 'Converged' is a probe solved to its optimum; the paper's protocol reuses the task's "
        "rate and epochs, so a low number there may be an undertrained probe.",
        _by_condition(view, "measured", MEASURED),
        index=("task", "measured"),
        values=tuple(view.conditions()),
        baseline_column=view.reference,
        decimals=1,
        paper="Tanti21 Tables 1-2",
    )


def _by_condition(view: ForgetView, head: str, measured: Sequence[tuple[str, str, str]]) -> pd.DataFrame:
    """A row per task and measure (called ``head``), a column per condition."""
    rows = []
    for task in view.tasks():
        for name, measure, data in measured:
            levels = {condition: view.level(task, condition, measure, data) for condition in view.conditions()}
            rows.append(spread_row({"task": task, head: name}, **levels))
    return pd.DataFrame(rows)


def _measures(view: ForgetView) -> str:
    return ", ".join(
        f"{task}: {measure.replace('_', ' ').replace('f1', 'F1')}" for task, measure in view.measures.items()
    )


def differences(view: ForgetView) -> Table:
    """What each condition changes, paired by seed and language."""
    pairs = list(view.comparisons())
    heads = [f"{after} − {before}" for after, before in pairs]
    rows = []
    for task in view.tasks():
        for measured, measure, data in (*MEASURED, *CLUSTERED[:3]):
            row: dict[str, object] = {"task": task, "measured": measured}
            for pair, head in zip(pairs, heads, strict=True):
                row |= spread_of(head, view.change(task, pair, measure, data))
                row[f"{head}_p"] = view.p(task, pair, measure) if measure == SCORE else np.nan
            rows.append(row)
    frame = adjust(pd.DataFrame(rows), [f"{head}_p" for head in heads])
    return Table(
        "differences",
        "What fine-tuning changes, and what forgetting adds",
        "Differences in points, over the same seeds and languages; their intervals, over seeds, show on hover. Stars: "
        "permutation over languages, Holm's correction over all that are tested (only the task's mean is).",
        frame,
        index=("task", "measured"),
        values=tuple(heads),
        signed=tuple(heads),
        decimals=1,
    )


def probes(view: ForgetView) -> Table:
    """Both protocols side by side, with the control."""
    columns = {"the paper's protocol": PAPER, "converged": CONVERGED, "accuracy": ACCURACY, "random labels": CONTROL}
    rows = []
    for task in view.tasks():
        for data in (TASK, TEXT):
            for condition in view.conditions():
                names = {"task": task, "tested on": data, "condition": condition}
                levels = {head: view.level(task, condition, measure, data) for head, measure in columns.items()}
                rows.append(spread_row(names, **levels))
    unsolved, solved = view.unconverged
    return Table(
        "probes",
        "How well languages are told apart, by both protocols",
        "Macro F1 by the paper's protocol and of a probe solved to its optimum, then that probe's accuracy beside the "
        "accuracy of one that learnt random labels (the control: what is found without a language in the states). "
        f"{solved - unsolved:,} of {solved:,} solved probes reached their optimum.",
        pd.DataFrame(rows),
        index=("task", "tested on", "condition"),
        values=tuple(columns),
        decimals=1,
        paper="Tanti21 Tables 1-2",
    )


def clusters(view: ForgetView) -> Table:
    """Agreement of k-means with labels and languages."""
    return Table(
        "clusters",
        "Do states cluster by label or by language?",
        "V-measure of k-means on full vectors, times 100 (mean of several runs, then over seeds). V-measure grows with "
        "the number of clusters even by chance; ARI (adjusted Rand index) is zero there. The share of variance between "
        "groups needs no clustering.",
        _by_condition(view, "clusters against", CLUSTERED),
        index=("task", "clusters against"),
        values=tuple(view.conditions()),
        baseline_column=view.reference,
        decimals=1,
        paper="Tanti21 Table 3, captions of Figs. 3-6",
    )


def languages(view: ForgetView) -> Table:
    """The task, language by language."""
    rows = []
    mine = view.frame[view.frame["measure"] == SCORE]
    for (task, target), part in mine.groupby(["task", "target"], sort=False):
        levels = {name: level(part[part["condition"] == name]) for name in view.conditions()}
        rows.append(spread_row({"task": task, "language": target}, **levels))
    return Table(
        "languages",
        "The task, language by language",
        f"In points ({_measures(view)}); signed numbers are differences to '{view.reference}'.",
        pd.DataFrame(rows),
        index=("task", "language"),
        values=tuple(view.conditions()),
        best="max",
        best_in="row",
        baseline_column=view.reference,
        decimals=1,
    )


def search(view: ForgetView) -> Table:
    """The settings that the random search chose."""
    rows = []
    for (task, condition), part in view.draws.groupby(["task", "condition"], sort=False):
        best = part[part["chosen"]].iloc[0]
        row = {"task": task, "condition": condition, "method": best["method"], "draws": len(part)}
        row |= {name: best[name] for name in SEARCHED}
        row["rate of the encoder"] = np.nan if condition == INITIAL else best["rate of the encoder"]
        rows.append({**row, "validation": best["validation"], "median of draws": part["validation"].median()})
    frame = pd.DataFrame(rows)
    for name in SEARCHED:
        frame[name] = [_setting(value) for value in frame[name]]
    return Table(
        "search",
        "Settings chosen by random search",
        "The best of the draws on the source's validation part, which alone was looked at; its score there beside the "
        "median of all draws, in points.",
        frame,
        index=("task", "condition", "method"),
        values=("draws", *SEARCHED, "validation", "median of draws"),
        decimals=1,
        paper="Tanti21 Table 5",
    )


SEARCHED = ("spread of the head's start", "batch", "rate of the head", "rate of the encoder")


def _setting(value: object) -> str:
    number = float(value) if isinstance(value, int | float | np.number) else np.nan
    return "–" if np.isnan(number) else f"{number:g}"


def measured(view: ForgetView) -> pd.DataFrame:
    """What this run has of the paper's numbers: task, condition, language, measure, value."""
    names = {  # (measure, data) -> the paper's name of it
        (POOLED, ""): ("all", "macro F1"),
        (POOLED_ACCURACY, ""): ("all", "accuracy"),
        (PAPER, TASK): ("task data", "identification"),
        (PAPER, TEXT): ("text", "identification"),
        (LABELS, TASK): ("task data", "V-measure, labels"),
        (LANGUAGES, TASK): ("task data", "V-measure, languages"),
        (LANGUAGES, TEXT): ("text", "V-measure, languages"),
    }
    rows = [
        (task, condition, language, measure, view.level(task, condition, own, data).value)
        for task in view.tasks()
        for condition in view.conditions()
        for (own, data), (language, measure) in names.items()
    ]
    return pd.DataFrame(rows, columns=[*KEYS, "value"])
