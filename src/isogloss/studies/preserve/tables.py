"""The tables of Liang21 App. B: transfer (1), language by language (2-5), layers (6); and drift, which it lacks."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from isogloss.studies.columns import ABROAD, HOME
from isogloss.studies.preserve.plan import BASELINE, REGULARISED, STILL
from isogloss.studies.preserve.view import ALL, PreserveView
from isogloss.studies.result import Table
from isogloss.studies.shared.comparison import adjust, level, spread_of, spread_row
from isogloss.studies.shared.published import KEYS, published

MBERT = "bert-base-multilingual-cased"
PAPERS_ALPHA = {True: 5e-3, False: 2e-2}  # all layers (B.2), four at a time (B.4)
SIDES = {HOME: "source", ABROAD: "zero-shot", ALL: "all"}  # as the paper calls them

TABLES = tuple(f"Table {number}" for number in range(1, 7))  # of the paper; its figures are of `locate`


def tables_of(view: PreserveView) -> Iterator[Table]:
    """All tables that the run has numbers for; the first one is the paper's Table 1."""
    first = [name for name in view.conditions() if name in (BASELINE, STILL, view.leading())]
    yield transfer(view, "transfer", "Holding the language subspace of all layers", first, "Liang21 Table 1")
    if len(view.conditions()) > len(first):
        title = "Holding some layers only, and by another subspace"
        yield transfer(view, "layers", title, view.conditions(), "Liang21 Table 6")
    yield languages(view)
    yield alphas(view)
    if len(view.drifts):
        yield drifts(view)
    if view.model.rpartition("/")[2] == MBERT:
        yield from published("liang21", "Liang21", measured(view), TABLES)


def transfer(view: PreserveView, name: str, title: str, conditions: Sequence[str], paper: str) -> Table:
    """A row per task, source and condition: sources, zero-shot languages and all, with differences to the baseline."""
    rows = []
    for task, source in view.groups():
        for condition in conditions:
            alpha = view.chosen(task, source, condition)
            row: dict[str, object] = {"task": task, "from": source, "condition": condition}
            row["alpha"] = f"{alpha:g}" if condition in view.held() else "-"
            for side, label in SIDES.items():
                if not len(view.of(task, source, condition, side)):
                    continue
                row |= spread_of(label, view.level(task, source, condition, side))
                if condition != BASELINE:
                    found = view.compared(task, source, condition, side)
                    row |= {**spread_of(f"Δ {label}", found.estimate), f"Δ {label}_p": found.p}
            rows.append(row)
    frame = pd.DataFrame(rows)
    shown = [column for label in SIDES.values() for column in (label, f"Δ {label}")]
    gains = [f"Δ {label}" for label in SIDES.values() if f"Δ {label}" in frame.columns]
    frame = adjust(frame, [f"{gain}_p" for gain in gains])
    return Table(
        name, title,
        "Means over the source languages, over those never trained on (zero-shot) and over all, in points, with "
        "differences to the baseline. Alpha was chosen on the sources' validation part. Stars: permutation over "
        "languages, corrected by Holm's method over the table.",
        frame, index=("task", "from", "condition", "alpha"),
        values=tuple(column for column in shown if column in frame.columns), signed=tuple(gains), best="max",
        decimals=2, shade=True, paper=paper,
    )  # fmt: skip


def languages(view: PreserveView) -> Table:
    """Every language on its own, with a paired test over its sentences."""
    names = view.conditions()
    rows = []
    for task, source in view.groups():
        scores = {condition: view.of(task, source, condition) for condition in names}
        tests = {condition: view.p_by_target(task, source, condition) for condition in names}
        for target in dict.fromkeys(scores[BASELINE]["target"]):
            row: dict[str, object] = {"task": task, "from": source, "language": target}
            for condition, mine in scores.items():
                row |= spread_of(condition, level(mine[mine["target"] == target]))
                row[f"{condition}_p"] = tests[condition].get(target, np.nan)  # none of the baseline
            rows.append(row)
    return Table(
        "languages", "Language by language",
        "Scores in points; the signed number is the difference to the baseline. Stars: permutation over the "
        "language's sentences, all seeds together, corrected by Holm's method over the table.",
        pd.DataFrame(rows), index=("task", "from", "language"), values=tuple(names), best="max", best_in="row",
        baseline_column=BASELINE, decimals=1, paper="Liang21 Tables 2-5",
    )  # fmt: skip


def alphas(view: PreserveView) -> Table:
    """Every alpha that was tried: what chose it, and what it would have been worth."""
    rows = []
    for task, source in view.groups():
        side = view.judged(task, source)
        for condition in view.held():
            chosen, best = view.chosen(task, source, condition), view.hindsight(task, source, condition)
            for alpha in view.alphas(condition):
                marks = [word for word, value in (("chosen", chosen), ("hindsight", best)) if alpha == value]
                row: dict[str, object] = {"task": task, "from": source, "condition": condition, "alpha": f"{alpha:g}"}
                row |= {"taken": ", ".join(marks) or "-"}
                row |= {"validation": view.validated(task, source, condition, alpha)}
                row |= spread_of("zero-shot", view.level(task, source, condition, side, alpha))
                row |= spread_of("Δ zero-shot", view.gain(task, source, condition, side, alpha))
                rows.append(row)
    return Table(
        "alphas", "Every alpha that was tried",
        "'Chosen' has the best score on the sources' validation part; 'hindsight' would have been best in zero-shot "
        "languages of the test data, which is partly luck.",
        pd.DataFrame(rows), index=("task", "from", "condition", "alpha", "taken"),
        values=("validation", "zero-shot", "Δ zero-shot"), signed=("Δ zero-shot",), best="max", decimals=2,
    )  # fmt: skip


def drifts(view: PreserveView) -> Table:
    """How far states have moved from where pretraining left them, inside the language subspace and outside it."""
    rows = []
    for task, source in view.groups():
        for condition in view.conditions():
            moved = {part: view.drift(task, source, condition, part) for part in ("inside", "outside")}
            rows.append(spread_row({"task": task, "from": source, "condition": condition}, **moved))
    return Table(
        "drift", "How far states have moved",
        "Root mean square of the move as a share of the spread of states there, mean over layers and languages: inside "
        "the language subspace of the pretrained model, which L-DAR holds, and outside it. 0 is unmoved.",
        pd.DataFrame(rows), index=("task", "from", "condition"), values=("inside", "outside"), best="min", decimals=3,
    )  # fmt: skip


def measured(view: PreserveView) -> pd.DataFrame:
    """What this run has of the paper's numbers, at the paper's alpha where that was tried."""
    rows: list[tuple[str, str, str, str, float]] = []
    for task, source in view.groups():
        start = f"multi-source {source}" if "+" in source else f"single source {source}"
        for condition in view.conditions():
            named = {BASELINE: "mBERT"}.get(condition, condition)
            alpha = papers_alpha(view, condition)
            for side, label in SIDES.items():
                found = view.level(task, source, condition, side, alpha).value
                rows.append((task, f"{start}, {named}", label, "F1", found))
            rows.append((task, f"{start}, {named}", "mean", "F1", rows[-1][-1]))
            for target, part in view.of(task, source, condition, ALL, alpha).groupby("target", sort=False):
                rows.append((task, f"{start}, {named}", str(target), "F1", level(part).value))
    return pd.DataFrame(rows, columns=[*KEYS, "value"]).dropna()


def papers_alpha(view: PreserveView, condition: str) -> float | None:
    """The paper's alpha for a condition, or None where it was not tried."""
    wanted = PAPERS_ALPHA[condition == REGULARISED]
    return wanted if wanted in view.alphas(condition) else None
