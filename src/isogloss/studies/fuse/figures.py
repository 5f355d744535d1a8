"""Figures of a fusion study: scores by the fused layer, gains by family and language, cosines by layer."""

from collections.abc import Iterator

import pandas as pd

from isogloss.studies.fuse.plan import BASELINE
from isogloss.studies.fuse.view import FAMILY, OTHERS, FuseView
from isogloss.studies.result import Figure
from isogloss.studies.shared.comparison import spread_frame
from isogloss.studies.shared.gain_maps import gain_map


def figures_of(view: FuseView) -> Iterator[Figure]:
    """The first one is the main one."""
    yield layers_figure(view)
    if view.scores["group"].nunique() > 1:
        yield families_figure(view)
    yield languages_figure(view)
    if len(view.cosines):
        yield cosines_figure(view)
        yield gates_figure(view)


def name_of(view: FuseView, model: str, task: str) -> str:
    return task if len(view.depths) == 1 else f"{model}, {task}"


def layers_figure(view: FuseView) -> Figure:
    """The mean over languages by the layer that is fused, a line per reading of the gate."""
    rows = []
    for model, task in view.groups():
        facet, flat = name_of(view, model, task), view.level(model, task, BASELINE)
        for gate in view.gates:
            for layer, condition in sorted(view.fusions(model, gate).items()):
                rows.append((facet, f"fused, {gate}", layer, view.level(model, task, condition)))
        rows += [(facet, "last layer alone", layer, flat) for layer in sorted(view.fusions(model))]
    return Figure(
        "layers", "Which layer is worth fusing with the last one?", "profile",
        spread_frame(("task", "series", "layer"), rows),
        reading="Mean score over all languages when this layer is fused with the last one; at the right end the last "
        "one with itself, the control. Dashed: the last layer alone.",
        intervals="Bands are 95% intervals over seeds.",
        alt="Scores by the fused layer for both readings of the gate, beside the baseline.",
        facet="task", baselines=("last layer alone",), x_title="fused layer", y_title="mean score, points", decimals=2,
        paper="Chen22 Table II",
    )  # fmt: skip


def families_figure(view: FuseView) -> Figure:
    rows = [
        (name_of(view, model, task), group, layer, view.gain(model, task, condition, group))
        for model, task in view.groups()
        for group in (FAMILY, OTHERS)
        for layer, condition in sorted(view.fusions(model).items())
    ]
    return Figure(
        "families", "Who gains: the source's family or the others?", "profile",
        spread_frame(("task", "series", "layer"), rows),
        reading="Difference to the last layer alone, by the fused layer: above zero the fusion helps.",
        alt="Gains over the baseline by the fused layer, for the source's family and for other languages.",
        facet="task", x_title="fused layer", y_title="points above the baseline", decimals=2, paper="Chen22 Table III",
    )  # fmt: skip


def languages_figure(view: FuseView) -> Figure:
    rows = [
        (name_of(view, model, task), condition, target, found)
        for model, task in view.groups()
        for _, condition in sorted(view.fusions(model).items())
        for target, found in view.compared(model, task, condition).by_target()
    ]
    return gain_map(
        "languages", "Gains by language", spread_frame(("task", "condition", "language"), rows),
        reading="Difference to the last layer alone, in points; a column per fused layer.",
        alt="Gains over the baseline by language and fused layer.",
        x="condition", y="language", facet="task", paper="Chen22 Table IV",
    )  # fmt: skip


def cosines_figure(view: FuseView) -> Figure:
    rows = []
    for model, task in view.groups():
        for layer, condition in sorted(view.fusions(model).items()):
            found = view.cosine(model, task, condition)
            for column, series in (("cosine", "translations"), ("others", "other sentences")):
                rows.append((name_of(view, model, task), series, layer, float(found[column].mean()), len(found)))
    return Figure(
        "cosines", "How similar translations are to the head", "profile",
        pd.DataFrame(rows, columns=["task", "series", "layer", "value", "n"]),
        reading="Mean cosine of sentences with the source's translation, by the fused layer, beside that of sentences "
        "that are not translations (dashed): the distance between the lines is what matters.",
        alt="Cosines of translations and of other sentences by the fused layer.",
        facet="task", baselines=("other sentences",), x_title="fused layer", y_title="mean cosine",
        paper="Chen22 Table VI",
    )  # fmt: skip


def gates_figure(view: FuseView) -> Figure:
    """How much of the lower layer each fusion lets through, language by language."""
    rows = []
    for model, task in view.groups():
        for layer, condition in sorted(view.fusions(model).items()):
            for target, found in view.cosine(model, task, condition).iterrows():
                rows.append((name_of(view, model, task), target, layer, float(found["opening"]), int(found["n"])))
    values = [row[3] for row in rows]
    return Figure(
        "gates", "How far the gate opens to the lower layer", "gates",
        pd.DataFrame(rows, columns=["task", "language", "layer", "value", "n"]),
        reading="Mean of the sigmoid over tokens and dimensions, by the fused layer: 0 is the last layer alone, 1 the "
        "lower one alone; n is the number of sentences.",
        alt=f"Mean gates by the fused layer and language, from {min(values):.2f} to {max(values):.2f}.",
        series="language", facet="task", x_title="fused layer", y_title="mean gate", y_range=(0.0, 1.0), decimals=2,
    )  # fmt: skip
