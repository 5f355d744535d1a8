"""The tables of Muller21: losses by layers drawn anew (1, 6-8), domains (2), all sets (5), correlations (4)."""

import math
from collections.abc import Iterator

import pandas as pd

from isogloss.studies.ablate.cells import REFERENCE
from isogloss.studies.ablate.view import ABROAD, DOMAIN, DOMAIN_ABROAD, FINE_TUNED, HOME, PRETRAINED, View
from isogloss.studies.differences import adjust, level, loss, p_value, spread_of
from isogloss.studies.published import KEYS, published
from isogloss.studies.result import Table

PAPER = "Muller21"
MBERT = "bert-base-multilingual-cased"
TABLE_2 = {  # what the paper calls other data
    ("ud-ewt", "en"): "en web",
    ("ud-lines", "en"): "en literature",
    ("ud-partut", "fr"): "fr translated",
    ("ud-gsd", "fr"): "fr wikipedia",
}
SHADES = "Colours go with the loss: the stronger, the more is lost."


def tables_of(view: View, model: str) -> Iterator[Table]:
    """All tables that the run has numbers for; the first one is the paper's Table 1."""
    yield losses(view)
    yield languages(view)
    yield sets(view)
    if view.scores["where"].isin([DOMAIN, DOMAIN_ABROAD]).any():
        yield domains(view)
    if view.correlates:
        yield correlations(view)
    if model.rpartition("/")[2] == MBERT:
        yield from published("muller21", PAPER, measured(view))


def losses(view: View) -> Table:
    """A row a task, source and side (home, other languages); p by permutation over languages, Holm over all."""
    rows = []
    for task, source in view.groups():
        for where, label in ((HOME, f"{source} - {source}"), (ABROAD, f"{source} - X")):
            if len(view.of(task, source, where)):
                row: dict[str, object] = {"task": task, "from - to": label}
                row |= spread_of("reference", view.reference(task, source, where))
                for layers in view.sets:
                    row |= spread_of(f"Δ {layers}", view.loss(task, source, where, layers))
                    row[f"Δ {layers}_p"] = p_value(view.of(task, source, where, layers), view.of(task, source, where))
                rows.append(row)
    frame = adjust(pd.DataFrame(rows), [f"Δ {layers}_p" for layers in view.sets])
    return Table(
        "losses",
        "What drawing layers anew costs, at home and in other languages",
        "The reference is the score of the model as it is, in points (X: the mean over the other languages); the other "
        f"columns are differences to it when these layers start anew. {SHADES} Stars: permutation over languages.",
        frame,
        index=("task", "from - to"),
        values=("reference", *(f"Δ {layers}" for layers in view.sets)),
        signed=tuple(f"Δ {layers}" for layers in view.sets),
        best="max",
        best_in="row",
        decimals=2,
        shade=True,
        paper="Muller21 Table 1",
    )


def by_target(view: View, where: tuple[str, ...]) -> pd.DataFrame:
    """A row a task, source, target and data set: the reference, and differences by layers."""
    rows = []
    chosen = view.scores[view.scores["where"].isin(where)]
    for (task, source, data, target), part in chosen.groupby(["task", "source", "data", "target"], sort=False):
        own = part[part["layers"] == REFERENCE]
        row: dict[str, object] = {"task": task, "source": source, "target": target, "data": data}
        row |= spread_of("reference", level(own))
        for layers in view.sets:
            row |= spread_of(f"Δ {layers}", loss(part[part["layers"] == layers], own))
        rows.append(row)
    return pd.DataFrame(rows)


def languages(view: View) -> Table:
    """Every target on its own."""
    return Table(
        "languages",
        "The same, language by language",
        f"Rows are targets of one source; differences to the reference, in points, means over seeds. {SHADES}",
        by_target(view, (HOME, ABROAD)).drop(columns="data"),
        index=("task", "source", "target"),
        values=("reference", *(f"Δ {layers}" for layers in view.sets)),
        signed=tuple(f"Δ {layers}" for layers in view.sets),
        best="max",
        best_in="row",
        decimals=2,
        shade=True,
        paper="Muller21 Tables 6-8",
    )


def sets(view: View) -> Table:
    """Scores themselves, a column a set of layers."""
    chosen = view.scores[view.scores["where"].isin([HOME, ABROAD])]
    rows = []
    for (task, source, target), part in chosen.groupby(["task", "source", "target"], sort=False):
        row: dict[str, object] = {"task": task, "source": source, "target": target}
        for layers in (REFERENCE, *view.sets):
            row |= spread_of(layers, level(part[part["layers"] == layers]))
        rows.append(row)
    return Table(
        "sets",
        "Scores by the layers that were drawn anew",
        "In points; 'none' is the model as it is, 'all' one that learns the task from scratch on pretrained "
        "embeddings. The signed number is the difference to 'none'.",
        pd.DataFrame(rows),
        index=("task", "source", "target"),
        values=(REFERENCE, *view.sets),
        best="max",
        best_in="row",
        baseline_column=REFERENCE,
        decimals=2,
        paper="Muller21 Table 5",
    )


def domains(view: View) -> Table:
    """The control: other data in the source language beside other languages."""
    order = (HOME, DOMAIN, ABROAD, DOMAIN_ABROAD)
    tested = set(view.scores.loc[view.scores["where"].isin([DOMAIN, DOMAIN_ABROAD]), "task"])
    rows = []
    for task, source in view.groups():
        for where in order if task in tested else ():
            if not len(view.of(task, source, where)):
                continue
            row: dict[str, object] = {"task": task, "source": source, "tested on": where}
            row |= spread_of("reference", view.reference(task, source, where))
            for layers in view.sets:
                row |= spread_of(f"Δ {layers}", view.loss(task, source, where, layers))
            rows.append(row)
    return Table(
        "domains",
        "Is it the language or the domain?",
        "Losses in the source language on its own and on other data, beside those in other languages: were lower "
        f"layers needed for any strange text, other data would lose as much. {SHADES}",
        pd.DataFrame(rows),
        index=("task", "source", "tested on"),
        values=("reference", *(f"Δ {layers}" for layers in view.sets)),
        signed=tuple(f"Δ {layers}" for layers in view.sets),
        decimals=2,
        best="max",
        best_in="row",
        shade=True,
        paper="Muller21 Table 2",
    )


def correlation_groups(view: View) -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
    """Task, name of the source, and which pairs: each source on its own, and all of them where there are several."""
    for task in dict.fromkeys(task for task, _ in view.groups()):
        pairs = [pair for pair in view.groups() if pair[0] == task]
        for pair in pairs:
            yield task, pair[1], [pair]
        if len(pairs) > 1:
            yield task, "all sources", pairs


def correlations(view: View) -> Table:
    """Spearman's rho of similarity, mean over layers, and minus the gap."""
    rows = []
    for task, source, pairs in correlation_groups(view):
        row: dict[str, object] = {"task": task, "source": source}
        for state in (FINE_TUNED, PRETRAINED):
            found, _ = view.correlation(pairs, state)
            row |= {**spread_of(state, found), f"{state}_p": found.p}
        rows.append(row)
    return Table(
        "correlations",
        "Do languages that are more alike transfer better?",
        f"Spearman's correlation, over languages, of similarity with the source ({view.kind} CKA, mean over layers) "
        "and minus the cross-language gap: positive where languages more like the source lose less (Fisher intervals).",
        pd.DataFrame(rows),
        index=("task", "source"),
        values=(FINE_TUNED, PRETRAINED),
        decimals=2,
        paper="Muller21 Table 4",
    )


def measured(view: View) -> pd.DataFrame:
    """What this run has of the paper's numbers: task, condition, language, measure, value."""
    rows: list[tuple[str, str, str, str, float]] = []
    for row in by_target(view, (HOME, ABROAD)).to_dict("records"):
        rows += _as_published(row, view, TABLE_2.get((row["data"], row["target"]), row["target"]))
    for row in by_target(view, (DOMAIN, DOMAIN_ABROAD)).to_dict("records"):
        if (row["data"], row["target"]) in TABLE_2:
            rows += _as_published(row, view, TABLE_2[row["data"], row["target"]])
    for row in losses(view).frame.to_dict("records"):
        source, _, target = row["from - to"].partition(" - ")
        if target == "X":
            rows += _as_published({**row, "source": source}, view, "X")
    if view.correlates:
        for row in correlations(view).frame.to_dict("records"):
            for state in (FINE_TUNED, PRETRAINED):
                rows.append((row["task"], f"{row['source']}, {state}", "targets", "spearman", row[state]))
    frame = pd.DataFrame(rows, columns=[*KEYS, "value"])
    return frame[[isinstance(value, float) and math.isfinite(value) for value in frame["value"]]]


def _as_published(row: dict, view: View, target: str) -> list[tuple[str, str, str, str, float]]:  # type: ignore[type-arg]
    task, source = row["task"], row["source"]
    found = [(task, f"{source}, reference", target, "score", row["reference"])]
    return found + [(task, f"{source}, {layers}", target, "difference", row[f"Δ {layers}"]) for layers in view.sets]
