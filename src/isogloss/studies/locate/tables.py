"""The tables of locate: dimensions, layers, the room of families, tagging, and what was published."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from isogloss.studies.columns import ABROAD
from isogloss.studies.locate.config import METHODS, TASKS
from isogloss.studies.locate.figures import guessing, profile_size, tasks_of
from isogloss.studies.locate.view import LocateView, estimate
from isogloss.studies.result import Table
from isogloss.studies.shared.comparison import scaled, spread_of, spread_row
from isogloss.studies.shared.published import published

PRINTED = ("item", "task")  # what tells one printed number of dimensions from another


def tables_of(view: LocateView) -> Iterator[Table]:
    """Dimensions by task, then layers, families, languages without dimensions, and what was published."""
    yield dimensions_table(view)
    yield layers_table(view)
    if view.subsets():
        yield families_table(view)
    if len(view.tagged):
        yield tagging_table(view.tagged)
    if view.config.published:
        yield from in_the_paper(view)


def dimensions_table(view: LocateView) -> Table:
    """A row per task and method: how many dimensions, and what scores these have."""
    rows = []
    for task in TASKS:
        for method in view.methods():
            found, meets = view.dimension(task, method), view.meeting(task, method)
            if found is None:
                continue
            sizes = view.xs(task, "first", method)
            x = sizes[int(np.argmin([abs(size - found.estimate.value) for size in sizes]))]
            row = spread_row({"task": task, "method": METHODS[method]}, dimensions=found.estimate)
            row["meets random at"] = meets.value if meets else None
            row |= {"x": x, "[0:x]": 100 * estimate(view.table(task, "first", x, method)).value}
            row |= {"guessing": guessing(view, task, x, method), "open": "yes" if found.open else "no"}
            rows.append(row)
    frame = pd.DataFrame(rows)
    if (frame["open"] == "no").all():
        frame = frame.drop(columns="open")
    return Table(
        "dimensions",
        f"The dimensions of language in layer {view.layer}",
        "Dimensions: windows from the first on that score above the 95% prediction interval of random ones; open: up "
        "to the last window measured. Then the size from which [x:2x] is no better than random, and scores in % at "
        "the size that is nearest. " + ", ".join(f"{task}: {words}" for task, words in TASKS.items()) + ".",
        frame,
        index=("task", "method"),
    )


def layers_table(view: LocateView) -> Table:
    """A row per layer: scores of few leading dimensions, and the languages' room."""
    rows = []
    method = view.methods()[0]
    for layer, name in enumerate(view.layers):
        row: dict[str, object] = {"layer": name}
        for task in tasks_of(view):
            x = profile_size(task, view)
            for one in view.methods():
                found = estimate(view.table(task, "first", x, one, layer=layer))
                row |= spread_of(f"{task} {METHODS[one]}", scaled(found))
        for kind, head in (("rank", "rank"), ("most", "for 95%"), ("effective", "effective")):
            row[head] = estimate(view.table("room", kind, 0, method, layer=layer)).value
        rows.append(row)
    sizes = ", ".join(f"{task} {profile_size(task, view)}" for task in tasks_of(view))
    return Table(
        "layers",
        "Layer by layer, %",
        f"Scores of the first dimensions (x: {sizes}); then the rank of the objective, the dimensions that hold 95% of "
        "the variance between languages, and their effective dimension.",
        pd.DataFrame(rows),
        index=("layer",),
        best="max",
        paper="Liang21 Figure 3",
    )


def families_table(view: LocateView) -> Table:
    """The bound on the rank against the rank measured, for sisters and for random languages."""
    rows = []
    for subset in view.subsets():
        room = {k: estimate(view.table("room", k, 0, "densray", subset)).value for k in ("rank", "most", "effective")}
        found = view.dimension("LI", "densray", subset)
        n = view.number(subset)
        rows.append(
            {
                "languages": subset,
                "number": n,
                "n + 1": n + 1,
                "n - 1": n - 1,
                "rank": room["rank"],
                "for 95%": room["most"],
                "effective": room["effective"],
                **(spread_of("above random", found.estimate) if found else {}),
            }
        )
    return Table(
        "families",
        "How many dimensions sisters need",
        "n + 1 is the paper's bound on DensRay's rank, n - 1 a sharper one; then the rank measured, the dimensions "
        "that hold 95% of the variance between the means, their effective dimension, and how many dimensions score "
        "above random ones.",
        pd.DataFrame(rows),
        index=("languages",),
        paper="Liang21 Appendix A",
    )


def tagging_table(tagged: pd.DataFrame) -> Table:
    """A row per task and language, a column per number of dimensions left out."""
    means = tagged.groupby(["task", "target", "x"], sort=False)["value"].agg(["mean", "size"]).reset_index()
    abroad = tagged[tagged["side"] == ABROAD].groupby(["task", "x"], sort=False)["value"].agg(["mean", "size"])
    means = pd.concat([means, abroad.reset_index().assign(target="mean of others")], ignore_index=True)
    means = means.sort_values("task", key=lambda tasks: tasks.map(list(tasks.unique()).index), kind="stable")
    means = means.reset_index(drop=True)
    shown = pd.DataFrame(
        {
            "task": means["task"],
            "language": means["target"],
            "dimensions": [f"[{x}:]" for x in means["x"]],
            "value": 100 * means["mean"],
            "n": means["size"],
        }
    )
    return Table.from_tidy(
        "tagging",
        "Tagging without the first dimensions, %",
        "Means over repetitions; the differences are to all dimensions, [0:]. The mean is over all languages but the "
        "source.",
        shown,
        rows=("task", "language"),
        columns="dimensions",
        baseline_column="[0:]",
        best="max",
        best_in="row",
        paper="Liang21 Figure 4",
    )


def in_the_paper(view: LocateView) -> Iterator[Table]:
    """Published numbers of dimensions beside ours; then what meets nothing, and why."""
    method, rows = view.methods()[0], []
    for task in TASKS:
        found, meets = view.dimension(task, method), view.meeting(task, method)
        rows += [("Figure 2", task, found.estimate.value if found else None)]
        rows += [("Figure 1", task, meets.value if meets else None)]
    yield from published(
        view.config.published,
        "Liang21 Figs. 1 and 2",
        pd.DataFrame(rows, columns=[*PRINTED, "value"]).dropna(),
        only={"measure": "dimensions"},
        note=f" Published for 104 languages; measured here for {len(view.languages)}, as dimensions up to which "
        "windows score above random ones (Figure 2), and as the size from which [x:2x] is no better than random "
        "(Figure 1).",
        on=PRINTED,
        decimals=0,
    )
