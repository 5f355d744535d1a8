"""The tables of Chen22: sizes of the data (I), all fusions (II), families (III), languages (IV), branches (V), cosines
(VI), models (VII)."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from isogloss.studies.fuse.plan import BASELINE
from isogloss.studies.fuse.view import ALL, FAMILY, OTHERS, FuseView
from isogloss.studies.result import Table
from isogloss.studies.shared.comparison import level, spread_of, spread_row
from isogloss.studies.shared.published import KEYS, published

SIZES = ("train", "dev", "smallest test", "largest test", "languages")
PUBLISHED = {"bert-base-multilingual-cased": "mBERT", "xlm-roberta-base": "XLM-R"}


def tables_of(view: FuseView) -> Iterator[Table]:
    """All tables that the run has numbers for; a model's own ones are numbered where there are several."""
    several = len(view.depths) > 1
    ends = {model: (f"-{number}", f", {model}") if several else ("", "") for number, model in enumerate(view.depths, 1)}
    for model, (end, of) in ends.items():
        yield fusions(view, model, f"fusions{end}", of)
    yield choices(view)
    for model, (end, of) in ends.items():
        if view.scores["group"].nunique() > 1:
            yield families(view, model, f"families{end}", of)
        yield languages(view, model, f"languages{end}", of)
        if (view.variants(model)["branches"].isin(["global", "local"])).any():
            yield branches(view, model, f"branches{end}", of)
        yield rivals(view, model, f"rivals{end}", of)
        if len(view.cosines):
            yield cosines(view, model, f"cosines{end}", of)
    if len(view.sizes):
        yield sizes(view)
        yield language_sizes(view)
    if {model.rpartition("/")[2] for model in view.depths} & set(PUBLISHED):
        yield from published("chen22", "Chen22", measured(view))


def by_task(view: FuseView, model: str, conditions: Sequence[str]) -> pd.DataFrame:
    """A row per condition, a column per task: the mean over all languages, starred by a paired test against the
    baseline.
    """
    rows = []
    for condition in conditions:
        row: dict[str, object] = {"condition": condition}
        for task in view.tasks(model):
            row |= spread_of(task, view.level(model, task, condition))
            row[f"{task}_p"] = np.nan if condition == BASELINE else view.compared(model, task, condition).p
        rows.append(row)
    return pd.DataFrame(rows)


def fusions(view: FuseView, model: str, name: str, of: str) -> Table:
    """The baseline and every fused layer, highest first as in the paper; the last layer with itself is the control."""
    order = sorted(view.fusions(model).items(), reverse=True)
    frame = by_task(view, model, [BASELINE, *(condition for _, condition in order)])
    return Table(
        name, f"Fusing a lower layer with the last one{of}",
        f"Means over all languages, the source among them, in points; D_k fuses layer k with the last, D_"
        f"{view.depths[model]} the last with itself (control). Differences are to the baseline, the last layer alone; "
        "stars: permutation over languages.",
        frame, index=("condition",), best="max", baseline_row=BASELINE, shade=True, decimals=2, paper="Chen22 Table II",
    )  # fmt: skip


def choices(view: FuseView) -> Table:
    """The layer that validation data of the source chooses, and the one that test data would have chosen."""
    rows = []
    for model, task in view.groups():
        lower = view.lower(model)
        if not lower:
            continue
        chosen, best = view.chosen(model, task), view.hindsight(model, task)
        found = {BASELINE: view.level(model, task, BASELINE)}
        for name, layer in (("chosen", chosen), ("hindsight", best)):
            found |= {name: view.level(model, task, lower[layer]), f"Δ {name}": view.gain(model, task, lower[layer])}
        names = {"model": model, "task": task, "chosen layer": f"D_{chosen}", "best layer": f"D_{best}"}
        rows.append(spread_row(names, **found))
    return Table(
        "choices", "The layer that validation chooses, and the best layer in hindsight",
        "'Chosen' has the highest score on the source's validation part. 'Hindsight' has the highest mean on the test "
        "data itself: the best of many is above the baseline by luck alone, so do not expect its gain on new data.",
        pd.DataFrame(rows), index=("model", "task", "chosen layer", "best layer"),
        values=(BASELINE, "chosen", "Δ chosen", "hindsight", "Δ hindsight"), signed=("Δ chosen", "Δ hindsight"),
        decimals=2, paper="Chen22 Table VII",
    )  # fmt: skip


def families(view: FuseView, model: str, name: str, of: str) -> Table:
    """Means over the source's family, itself included as in the paper, and over all other languages."""
    rows = []
    for task in view.tasks(model):
        for condition in (BASELINE, *view.fusions(model).values()):
            row: dict[str, object] = {"task": task, "condition": condition}
            for group in (FAMILY, OTHERS):
                row |= spread_of(group, view.level(model, task, condition, group))
                if condition != BASELINE:
                    row |= spread_of(f"Δ {group}", view.gain(model, task, condition, group))
            rows.append(row)
    return Table(
        name, f"The source's family and the others{of}",
        "Means over the languages of the source's family (itself among them) and over all others, with the differences "
        "to the baseline.",
        pd.DataFrame(rows), index=("task", "condition"), values=(FAMILY, f"Δ {FAMILY}", OTHERS, f"Δ {OTHERS}"),
        signed=(f"Δ {FAMILY}", f"Δ {OTHERS}"), best="max", decimals=2, shade=True, paper="Chen22 Table III",
    )  # fmt: skip


def languages(view: FuseView, model: str, name: str, of: str) -> Table:
    """Every language on its own."""
    rows = []
    wanted = (BASELINE, *view.fusions(model).values())
    mine = view.scores[view.scores["model"] == model]
    for (task, target), part in mine.groupby(["task", "target"], sort=False):
        levels = {condition: level(part[part["condition"] == condition]) for condition in wanted}
        rows.append(spread_row({"task": task, "language": target}, **levels))
    return Table(
        name, f"Language by language{of}",
        "Scores in points; the signed number is the difference to the baseline.",
        pd.DataFrame(rows), index=("task", "language"), values=wanted, best="max", best_in="row",
        baseline_column=BASELINE, decimals=1, paper="Chen22 Table IV",
    )  # fmt: skip


def branches(view: FuseView, model: str, name: str, of: str) -> Table:
    """Both branches against two of one kind."""
    rows = view.variants(model)
    apart = rows.loc[rows["branches"].isin(["global", "local"]), "layer"].unique()
    mine = rows[rows["layer"].isin(apart) & (rows["gate"] == view.gates[0])]
    mine = mine.sort_values(["layer", "condition"], ascending=[False, False], kind="stable")
    return Table(
        name, f"Global and local branches{of}",
        "G: both branches look at the sentence's mean; L: both look at single tokens; without a letter: one of each.",
        by_task(view, model, [BASELINE, *mine["condition"]]), index=("condition",), best="max", baseline_row=BASELINE,
        decimals=2, paper="Chen22 Table V",
    )  # fmt: skip


def rivals(view: FuseView, model: str, name: str, of: str) -> Table:
    """The second reading of the gate, and simpler ways to use several layers, which the paper lacks."""
    rows = view.variants(model)
    others = rows[(rows["branches"] == "") | ((rows["branches"] == "both") & (rows["gate"] != view.gates[0]))]
    wanted = [BASELINE, *view.fusions(model).values(), *others["condition"]]
    return Table(
        name, f"Both readings of the gate, scalar mix and concatenation{of}",
        f"D_k reads the equations as '{view.gates[0]}'; the other reading says so. Scalar mix: a learnt mean of all "
        "layers; concatenation: two layers side by side. Differences are to the baseline.",
        by_task(view, model, list(dict.fromkeys(wanted))), index=("condition",), best="max", baseline_row=BASELINE,
        decimals=2,
    )  # fmt: skip


def cosines(view: FuseView, model: str, name: str, of: str) -> Table:
    """Mean cosine of parallel sentences with the source's, and of sentences that are not translations."""
    rows = []
    for task in view.tasks(model):
        for condition in (BASELINE, *view.fusions(model).values()):
            found = view.cosine(model, task, condition)
            cosine, others, n = float(found["cosine"].mean()), float(found["others"].mean()), int(found["n"].sum())
            rows.append((task, condition, cosine, n, others, cosine - others))
    columns = ["task", "condition", "cosine", "cosine_n", "other sentences", "difference"]
    return Table(
        name, f"Parallel sentences as the head sees them{of}",
        "Mean cosine with the source's translation, over languages. Cosines of a model may be high for any two "
        "sentences, so read the difference to sentences that are not translations.",
        pd.DataFrame(rows, columns=columns), index=("task", "condition"),
        values=("cosine", "other sentences", "difference"), decimals=3, paper="Chen22 Table VI",
    )  # fmt: skip


def sizes(view: FuseView) -> Table:
    """The paper's own shape: a row per task."""
    return Table(
        "sizes", "Sizes of the data",
        "Records as they are read, within the limits of this run. Training and validation parts are the source's; "
        "smallest and largest: the test parts over languages.",
        view.size_summary(), index=("task", "data", "test data", "metric"), values=SIZES, decimals=0,
        paper="Chen22 Table I",
    )  # fmt: skip


def language_sizes(view: FuseView) -> Table:
    """The same by language."""
    return Table(
        "language-sizes", "Sizes of the data by language",
        "Records as they are read; only the source has training and validation parts.",
        view.sizes[["task", "language", "train", "dev", "test"]].astype(dict.fromkeys(("train", "dev", "test"), float)),
        index=("task", "language"), values=("train", "dev", "test"), decimals=0, paper="Chen22 Table I",
    )  # fmt: skip


def measured(view: FuseView) -> pd.DataFrame:
    """What this run has of the paper's numbers: task, condition, language, measure, value."""
    rows: list[tuple[str, str, str, str, float]] = []
    for model, task in view.groups():
        known = PUBLISHED.get(model.rpartition("/")[2], model)
        for condition in view.variants(model)["condition"]:
            name = f"{known}, {condition}"
            for language, group in (("mean", ALL), (FAMILY, FAMILY), (OTHERS, OTHERS)):
                rows.append((task, name, language, "score", view.level(model, task, condition, group).value))
            for target, part in view.of(model, task, condition).groupby("target", sort=False):
                rows.append((task, name, str(target), "score", level(part).value))
            if len(view.cosines) and condition in view.fusions(model).values():
                cosine = float(view.cosine(model, task, condition)["cosine"].mean())
                rows.append((task, name, "mean", "cosine", cosine))
    for row in view.size_summary().to_dict("records") if len(view.sizes) else ():
        for measure in SIZES:
            language = view.source if measure in ("train", "dev") else ALL
            rows.append((row["task"], "data", language, measure, float(row[measure])))
    return pd.DataFrame([row for row in rows if np.isfinite(row[-1])], columns=[*KEYS, "value"])
