"""The tables of locate: dimensions, layers, the room of families, tagging, and what was published."""

from collections.abc import Iterator
from itertools import product

import pandas as pd

from isogloss.studies.columns import ABROAD
from isogloss.studies.locate.config import METHODS, TASKS
from isogloss.studies.locate.figures import guessing, profile_size, tasks_of
from isogloss.studies.locate.view import LocateView, estimate
from isogloss.studies.result import Table
from isogloss.studies.shared.comparison import scaled, spread_of, spread_row
from isogloss.studies.shared.published import published

PRINTED = ("item", "task")  # what tells one printed number of dimensions from another
ROOM = (("rank", "rank"), ("for 95%", "most"), ("effective", "effective"))  # columns, and what the fit calls them


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
    for task, method in product(TASKS, view.methods()):
        found, meets = view.dimension(task, method), view.meeting(task, method)
        if found is not None:
            near = found.estimate.value
            x = min(view.xs(task, "first", method), key=lambda size: abs(size - near))
            row = spread_row({"task": task, "method": METHODS[method]}, dimensions=found.estimate)
            row |= {"meets random at": meets.value if meets else None, "x": x}
            row |= {"[0:x]": 100 * estimate(view.table(task, "first", x, method)).value}
            rows.append({**row, "guessing": guessing(view, task, x, method), "open": "yes" if found.open else "no"})
    frame = pd.DataFrame(rows)
    if (frame["open"] == "no").all():
        frame = frame.drop(columns="open")
    return Table(
        "dimensions", f"The dimensions of language in layer {view.layer}",
        "Dimensions: windows from the first on that score above the 95% prediction interval of random ones; open: up "
        "to the last window measured. Then the size from which [x:2x] is no better than random, and scores in % at "
        "the size that is nearest. " + ", ".join(f"{task}: {words}" for task, words in TASKS.items()) + ".",
        frame, index=("task", "method"),
    )  # fmt: skip


def layers_table(view: LocateView) -> Table:
    """A row per layer: scores of few leading dimensions, and the languages' room."""
    rows = []
    method = view.methods()[0]
    for layer, name in enumerate(view.layers):
        row: dict[str, object] = {"layer": name}
        for task in tasks_of(view):
            for one in view.methods():
                found = estimate(view.table(task, "first", profile_size(task, view), one, layer=layer))
                row |= spread_of(f"{task} {METHODS[one]}", scaled(found))
        rows.append(
            row | {head: estimate(view.table("room", kind, 0, method, layer=layer)).value for head, kind in ROOM}
        )
    sizes = ", ".join(f"{task} {profile_size(task, view)}" for task in tasks_of(view))
    return Table(
        "layers", "Layer by layer, %",
        f"Scores of the first dimensions (x: {sizes}); then the rank of the objective, the dimensions that hold 95% of "
        "the variance between languages, and their effective dimension.",
        pd.DataFrame(rows), index=("layer",), best="max", paper="Liang21 Figure 3",
    )  # fmt: skip


def families_table(view: LocateView) -> Table:
    """The bound on the rank against the rank measured, for sisters and for random languages."""
    rows = []
    for subset in view.subsets():
        n, found = view.number(subset), view.dimension("LI", "densray", subset)
        row = {"languages": subset, "number": n, "n + 1": n + 1, "n - 1": n - 1}
        row |= {head: estimate(view.table("room", kind, 0, "densray", subset)).value for head, kind in ROOM}
        rows.append(row | (spread_of("above random", found.estimate) if found else {}))
    return Table(
        "families", "How many dimensions sisters need",
        "n + 1 is the paper's bound on DensRay's rank, n - 1 a sharper one; then the rank measured, the dimensions "
        "that hold 95% of the variance between the means, their effective dimension, and how many dimensions score "
        "above random ones.",
        pd.DataFrame(rows), index=("languages",), paper="Liang21 Appendix A",
    )  # fmt: skip


def tagging_table(tagged: pd.DataFrame) -> Table:
    """A row per task and language, a column per number of dimensions left out."""
    others = tagged[tagged["side"] == ABROAD].assign(target="mean of others")
    groups = [frame.groupby(["task", "target", "x"], sort=False)["value"] for frame in (tagged, others)]
    means = pd.concat([group.agg(value="mean", n="size") for group in groups]).reset_index()
    means = means.sort_values("task", key=lambda tasks: tasks.map(list(tasks.unique()).index), kind="stable")
    dimensions = [f"[{x}:]" for x in means["x"]]
    shown = means.assign(language=means["target"], dimensions=dimensions, value=100 * means["value"])
    return Table.from_tidy(
        "tagging", "Tagging without the first dimensions, %",
        "Means over repetitions; the differences are to all dimensions, [0:]. The mean is over all languages but the "
        "source.",
        shown, rows=("task", "language"), columns="dimensions", baseline_column="[0:]", best="max", best_in="row",
        paper="Liang21 Figure 4",
    )  # fmt: skip


def in_the_paper(view: LocateView) -> Iterator[Table]:
    """Published numbers of dimensions beside ours; then what meets nothing, and why."""
    method, rows = view.methods()[0], []
    for task in TASKS:
        found, meets = view.dimension(task, method), view.meeting(task, method)
        rows += [("Figure 2", task, found.estimate.value if found else None)]
        rows += [("Figure 1", task, meets.value if meets else None)]
    yield from published(
        view.config.published, "Liang21 Figs. 1 and 2", pd.DataFrame(rows, columns=[*PRINTED, "value"]).dropna(),
        only={"measure": "dimensions"},
        note=f" Published for 104 languages; measured here for {len(view.languages)}, as dimensions up to which "
        "windows score above random ones (Figure 2), and as the size from which [x:2x] is no better than random "
        "(Figure 1).",
        on=PRINTED, decimals=0,
    )  # fmt: skip
