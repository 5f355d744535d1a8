"""The tables of Muller21: losses by layers re-initialised (1, 6-8), domains (2), all sets (5), correlations (4)."""

import math
from collections.abc import Iterator
from functools import lru_cache

import pandas as pd

from isogloss.studies.ablate.plan import REFERENCE
from isogloss.studies.ablate.view import DOMAIN, DOMAIN_ABROAD, FINE_TUNED, PRETRAINED, AblateView
from isogloss.studies.columns import ABROAD, HOME
from isogloss.studies.result import Table
from isogloss.studies.shared.comparison import compare_all, scores_by_condition, spread, spread_of, spread_row
from isogloss.studies.shared.published import KEYS, published

PAPER = "Muller21"
MBERT = "bert-base-multilingual-cased"
TABLE_2 = {  # what the paper calls other data
    ("ud-ewt", "en"): "en web",
    ("ud-lines", "en"): "en literature",
    ("conll2003", "en"): "en news",
    ("ud-partut", "fr"): "fr translated",
    ("ud-gsd", "fr"): "fr wikipedia",
}
Published = tuple[str, str, str, str, float]  # KEYS and value
SHADES = "A stronger colour means a larger loss."


def tables_of(view: AblateView) -> Iterator[Table]:
    """All tables that the run has numbers for; the first one is the paper's Table 1."""
    yield losses(view)
    yield languages(view)
    yield sets(view)
    if view.scores["side"].isin([DOMAIN, DOMAIN_ABROAD]).any():
        yield domains(view)
    yield chosen_settings(view)
    if view.correlates:
        yield correlations(view)
    if view.model.rpartition("/")[2] == MBERT:
        yield from published("muller21", PAPER, measured(view))


@lru_cache(maxsize=2)
def losses(view: AblateView) -> Table:
    """A row per task, source and side (home, other languages); p by permutation over languages, Holm over all."""
    both = view.scores[view.scores["side"].isin([HOME, ABROAD])]
    frame = compare_all(both, ("task", "source", "side"), REFERENCE, view.sets, tested=True)
    ends = frame["source"].where(frame["side"] == HOME, "X")
    frame.insert(0, "from - to", frame["source"] + " - " + ends)
    return _loss_table(
        view, "losses", "What re-initialising layers costs, at home and in other languages",
        "The reference is the score of the model as it is, in points (X: the mean over the other languages); the other "
        f"columns are differences to it when these layers are re-initialised. {SHADES} "
        "Stars: permutation over languages.",
        frame.drop(columns=["source", "side"]), ("task", "from - to"), "Muller21 Table 1",
    )  # fmt: skip


def _loss_table(
    view: AblateView, name: str, title: str, reading: str, frame: pd.DataFrame, index: tuple[str, ...], paper: str
) -> Table:
    """The reference, and differences to it by the layers that were re-initialised."""
    shown = tuple(f"Δ {layers}" for layers in view.sets)
    return Table(
        name, title, reading, frame, index=index, values=("reference", *shown), signed=shown, best="max", best_in="row",
        decimals=2, shade=True, paper=paper,
    )  # fmt: skip


@lru_cache(maxsize=4)
def by_target(view: AblateView, sides: tuple[str, ...]) -> pd.DataFrame:
    """A row per task, source, data set and target: the reference, and differences by layers."""
    chosen = view.scores[view.scores["side"].isin(sides)]
    return compare_all(chosen, ("task", "source", "data", "target"), REFERENCE, view.sets)


def languages(view: AblateView) -> Table:
    """Every target on its own."""
    return _loss_table(
        view, "languages", "The same, language by language",
        f"Rows are targets of one source; differences to the reference, in points, means over seeds. {SHADES}",
        by_target(view, (HOME, ABROAD)).drop(columns="data"), ("task", "source", "target"), "Muller21 Tables 6-8",
    )  # fmt: skip


@lru_cache(maxsize=2)
def sets(view: AblateView) -> Table:
    """Scores themselves, a column per set of layers."""
    chosen = view.scores[view.scores["side"].isin([HOME, ABROAD])]
    rows = []
    for (task, source, target), part in chosen.groupby(["task", "source", "target"], sort=False):
        scores = scores_by_condition(part)
        levels = {layers: spread(scores[layers].to_numpy()) for layers in (REFERENCE, *view.sets)}
        rows.append(spread_row({"task": task, "source": source, "target": target}, **levels))
    return Table(
        "sets", "Scores by the layers that were re-initialised",
        "In points; 'none' is the model as it is, 'all' one that learns the task from scratch on pretrained "
        "embeddings. The signed number is the difference to 'none'.",
        pd.DataFrame(rows), index=("task", "source", "target"), values=(REFERENCE, *view.sets), best="max",
        best_in="row", baseline_column=REFERENCE, decimals=2, paper="Muller21 Table 5",
    )  # fmt: skip


def domains(view: AblateView) -> Table:
    """The control: other data in the source language beside other languages."""
    order = (HOME, DOMAIN, ABROAD, DOMAIN_ABROAD)
    tested = set(view.scores.loc[view.scores["side"].isin([DOMAIN, DOMAIN_ABROAD]), "task"])
    chosen = view.scores[view.scores["task"].isin(tested)]
    other = chosen["side"].isin([DOMAIN, DOMAIN_ABROAD])  # every other set is a row of its own, the main one is not
    chosen = chosen.assign(set=chosen["side"].where(~other, chosen["data"] + ", " + chosen["target"]))
    frame = compare_all(chosen, ("task", "source", "side", "set"), REFERENCE, view.sets)
    groups = list(view.groups())
    ranks = [(groups.index((row["task"], row["source"])), order.index(row["side"])) for row in frame.to_dict("records")]
    frame = frame.iloc[sorted(range(len(frame)), key=ranks.__getitem__)].reset_index(drop=True)
    names = {f"{data}, {target}": f"{called} ({data})" for (data, target), called in TABLE_2.items()}
    frame["set"] = frame["set"].replace(names)
    return _loss_table(
        view, "domains", "Is it the language or the domain?",
        "Losses in the source language on its own and on other data, beside those in other languages: if lower "
        f"layers were needed for any unfamiliar text, other data would lose as much. {SHADES}",
        frame.drop(columns="side").rename(columns={"set": "tested on"}), ("task", "source", "tested on"),
        "Muller21 Table 2",
    )  # fmt: skip


def chosen_settings(view: AblateView) -> Table:
    """What each task was fine-tuned with; after a search, what it took most often."""
    rows = []
    for (task, source), part in view.fitted.groupby(["task", "source"], sort=False):
        reference = part[part["condition"] == REFERENCE]
        rows.append(
            {
                "task": task, "source": source, "batch": int(reference["batch"].mode()[0]),
                "rate": f"{float(reference['rate'].mode()[0]):g}", "best epoch": float(reference["epoch"].mean()),
                "validation": 100 * float(reference["validation"].mean()), "n": len(reference),
            }
        )  # fmt: skip
    return Table(
        "settings", "Settings of the fine-tunings",
        "Batch size and learning rate of the model as it is (with a search, what was taken most often), the mean "
        "of the epochs that were kept, and the score on the source's validation part.",
        pd.DataFrame(rows), index=("task", "source"), values=("batch", "rate", "best epoch", "validation"), decimals=2,
        paper="Muller21 Table 3",
    )  # fmt: skip


def correlation_groups(view: AblateView) -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
    """Task, name of the source, and which pairs: each source on its own, and all of them where there are several."""
    for task in dict.fromkeys(task for task, _ in view.groups()):
        pairs = [pair for pair in view.groups() if pair[0] == task]
        for pair in pairs:
            yield task, pair[1], [pair]
        if len(pairs) > 1:
            yield task, "all sources", pairs


def correlations(view: AblateView) -> Table:
    """Spearman's rho of similarity, mean over layers, and minus the gap."""
    rows = []
    for task, source, pairs in correlation_groups(view):
        row: dict[str, object] = {"task": task, "source": source}
        for state in (FINE_TUNED, PRETRAINED):
            found, _ = view.correlation(pairs, state)
            row |= {**spread_of(state, found), f"{state}_p": found.p}
        rows.append(row)
    return Table(
        "correlations", "Do more similar languages transfer better?",
        f"Spearman's correlation, over languages, of similarity with the source ({view.kind} CKA, mean over layers) "
        "and minus the cross-language gap: positive where languages more like the source lose less (Fisher intervals).",
        pd.DataFrame(rows), index=("task", "source"), values=(FINE_TUNED, PRETRAINED), decimals=2,
        paper="Muller21 Table 4",
    )  # fmt: skip


def measured(view: AblateView) -> pd.DataFrame:
    """What this run has of the paper's numbers: task, condition, language, measure, value."""
    rows: list[Published] = []
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
    rows += _scores_as_published(view)
    rows += _similarities_as_published(view)
    frame = pd.DataFrame(rows, columns=[*KEYS, "value"])
    return frame[[isinstance(value, float) and math.isfinite(value) for value in frame["value"]]]


def _scores_as_published(view: AblateView) -> list[Published]:
    """Scores by layers re-initialised (Table 5), on the validation part too, and the settings (Table 3)."""
    rows: list[Published] = []
    table = sets(view).frame
    for row in table.to_dict("records"):
        target = TABLE_2.get((view.data_of(row["task"], row["source"], row["target"]), row["target"]), row["target"])
        rows += [(row["task"], f"{row['source']}, {layers}", target, "score", row[layers]) for layers in view.sets]
    fitted = view.fitted.groupby(["task", "source", "condition"], sort=False, as_index=False)["validation"].mean()
    for task, source, layers, value in fitted.itertuples(index=False):
        condition = f"{source}, {'reference' if layers == REFERENCE else layers}"
        rows.append((task, condition, f"{source} (validation)", "score", 100 * value))
    for row in chosen_settings(view).frame.to_dict("records"):
        found = {"batch": float(row["batch"]), "rate": float(row["rate"]), "best epoch": row["best epoch"]}
        rows += [(row["task"], f"{row['source']}, settings", "", name, value) for name, value in found.items()]
    return rows


def _similarities_as_published(view: AblateView) -> list[Published]:
    """The similarity of each target with the source at each layer after fine-tuning (section 4.2)."""
    frame = view.shown()
    frame = frame[frame["condition"] == FINE_TUNED]
    means = frame.groupby(["task", "source", "layer", "target"], sort=False, as_index=False)["value"].mean()
    return [
        (task, f"{source}, {FINE_TUNED}, layer {layer}", target, "CKA", value)
        for task, source, layer, target, value in means.itertuples(index=False)
    ]


def _as_published(row: dict, view: AblateView, target: str) -> list[Published]:  # type: ignore[type-arg]
    task, source = row["task"], row["source"]
    found = [(task, f"{source}, reference", target, "score", row["reference"])]
    return found + [(task, f"{source}, {layers}", target, "difference", row[f"Δ {layers}"]) for layers in view.sets]
