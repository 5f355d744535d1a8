"""Figures of a study of forgetting: scores, the trade of task for languages, clusters, maps (Figs. 3-6) and moves."""

import re
from collections.abc import Iterator
from itertools import product
from typing import Any

import pandas as pd

from isogloss.studies.columns import ABROAD
from isogloss.studies.forget.cells import TASK, TEXT
from isogloss.studies.forget.view import CLUSTERED, CONVERGED, PAPER, SCORE, ForgetView
from isogloss.studies.result import Figure
from isogloss.studies.shared.comparison import level
from isogloss.studies.shared.scores import pick

SHOWN = (
    ("task", SCORE, ""),
    ("languages, task data", CONVERGED, TASK),
    ("task data, paper's way", PAPER, TASK),
    ("languages, text", CONVERGED, TEXT),
    ("text, paper's way", PAPER, TEXT),
)


def figures_of(view: ForgetView) -> Iterator[Figure]:
    """The first one is the main one."""
    yield scores_figure(view)
    yield trade_figure(view)
    for task, data in product(view.tasks(), (TASK, TEXT)):
        yield map_figure(view, task, data)
    if len(view.moves):
        yield moves_figure(view)
    yield clusters_figure(view)
    yield languages_figure(view)


def slug(task: str) -> str:
    """A task's name as part of a figure's."""
    return re.sub(r"[^a-z0-9_-]+", "-", task.lower()).strip("-")


def _by_task(view: ForgetView) -> dict[str, Any]:
    """The layout of all figures that compare conditions: a choice of the task, where there are several."""
    return {"series": "condition", "facet": "task" if len(view.tasks()) > 1 else "", "decimals": 1}


def scores_figure(view: ForgetView) -> Figure:
    return Figure(
        "scores", "The task, and whether languages can still be told apart", "bars", view.levels(SHOWN),
        reading="Scores of the task (mean over languages) and of telling languages apart (macro F1): by a probe solved "
        "to its optimum, and the paper's way; where these differ, the paper's probe did not learn all there is. Lines "
        "are intervals over seeds.",
        alt="Bars of task scores and of language identification for each condition.",
        x="measured", x_title=" ", y_title="points", paper="Tanti21 Tables 1-2", **_by_task(view),
    )  # fmt: skip


def trade_figure(view: ForgetView) -> Figure:
    """A point per condition and seed: languages told apart against the task in other languages."""
    rows = []
    for task, condition in product(view.tasks(), view.conditions()):
        abroad = view.of(task, condition, SCORE, side=ABROAD)
        for row in view.of(task, condition, CONVERGED, TASK).to_dict("records"):
            score = level(pick(abroad, seed=row["seed"]))
            rows.append((task, condition, row["seed"], 100 * row["value"], score.value, row["n"]))
    return Figure(
        "trade", "Does a model that forgets languages transfer better?", "scatter",
        pd.DataFrame(rows, columns=["task", "condition", "seed", "languages", "score", "n"]),
        reading="A point per seed: how well a solved probe tells the languages of the task's data apart, against the "
        "mean score in languages other than the source. If forgetting helped, points further left would be higher.",
        alt="Language identification against the task's score in other languages, a point per seed and condition.",
        x="languages", y="score", hover=("seed",), x_title="languages told apart, macro F1",
        y_title="task, mean over other languages", **_by_task(view),
    )  # fmt: skip


def map_figure(view: ForgetView, task: str, data: str) -> Figure:
    """The states of the task's test data by label and by language, or of plain text by language."""
    frame = pick(view.maps, task=task, data=data).reset_index(drop=True)
    number, own = len(frame) // max(1, frame["condition"].nunique()), data == TASK
    colours = ("label", "language") if own else ("language",)
    return Figure(
        f"map-{slug(task)}" if own else f"text-map-{slug(task)}",
        f"{task}: its test data by label and by language" if own else f"{task}: independent text by language",
        "map", frame[["condition", "x", "y", *colours, "token", "sentence"]],
        reading=f"t-SNE of {number:,} points, a limited number per label and language, coloured twice; choose the "
        "condition above. All maps begin from the first condition's principal components, so that points can be "
        "followed; distances between clusters mean little."
        if own
        else f"As above, for {number:,} points of plain text that the task never saw.",
        alt=f"Two-dimensional maps of states {f'for {task}' if own else f'of plain text after {task}'}, by "
        f"{' and by '.join(colours)}, for each condition.",
        facet="condition", facet_start=view.reference, colours=colours, hover=("token", "sentence"),
        paper="Tanti21 Figs. 3-6",
    )  # fmt: skip


def moves_figure(view: ForgetView) -> Figure:
    frame = pick(view.moves, data=TASK).reset_index(drop=True)
    frame["shown"] = frame["task"] + ": " + frame["condition"]
    start = f"{view.tasks()[0]}: {view.reference}"
    return Figure(
        "moves", "Where the middle of each language goes", "arrows",
        frame[["shown", "language", "x", "y", "x_to", "y_to"]],
        reading=f"From '{view.conditions()[0]}' to the condition above: the centroid of each language's points, on "
        "the two axes along which centroids differ most. Each space is centred and scaled to the same spread, so "
        "arrows that meet in the middle are languages that become similar.",
        alt="Arrows from the centroid of each language before to that after fine-tuning.",
        facet="shown", facet_start=start if start in set(frame["shown"]) else "", paper="Tanti21 Figs. 3-4",
    )  # fmt: skip


def clusters_figure(view: ForgetView) -> Figure:
    return Figure(
        "clusters", "Do states cluster by label or by language?", "bars", view.levels(CLUSTERED[:3]),
        reading="V-measure of k-means against labels and against languages, times 100; higher is better agreement. "
        "Compare conditions, not groups: V-measure grows with the number of clusters.",
        alt="Bars of V-measures by label and by language for each condition.",
        x="measured", x_title=" ", y_title="V-measure", paper="Tanti21 Table 3", **_by_task(view),
    )  # fmt: skip


def languages_figure(view: ForgetView) -> Figure:
    return Figure(
        "languages", "The task, language by language", "bars", view.languages(),
        reading="Score of the task in each language, a bar per condition.",
        intervals="Lines are 95% intervals over seeds.",
        alt="Bars of task scores by language for each condition.",
        y_title="points", **_by_task(view),
    )  # fmt: skip
