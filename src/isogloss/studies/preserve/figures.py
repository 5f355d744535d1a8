"""Figures of a study of L-DAR: scores by alpha, gains by language, drift by layer, and drift against gain."""

from collections.abc import Iterator

import pandas as pd

from isogloss.studies.figure import SPREAD
from isogloss.studies.preserve.plan import BASELINE
from isogloss.studies.preserve.view import PreserveView
from isogloss.studies.result import Figure
from isogloss.studies.shared.gain_maps import gain_map


def figures_of(view: PreserveView) -> Iterator[Figure]:
    """The first one is the main one."""
    yield alphas_figure(view)
    yield languages_figure(view)
    if len(view.drifts):
        yield drift_figure(view)
        yield keeping_figure(view)


def alphas_figure(view: PreserveView) -> Figure:
    """Zero-shot score by alpha, a line per condition, beside the baseline."""
    rows = []
    for task, source in view.groups():
        facet, side = f"{task} from {source}", view.judged(task, source)
        flat = view.level(task, source, BASELINE, side)
        for condition in view.held():
            for alpha in view.alphas(condition):
                found = view.level(task, source, condition, side, alpha)
                rows.append((facet, condition, alpha, *found.columns()))
        for alpha in sorted({alpha for condition in view.held() for alpha in view.alphas(condition)}):
            rows.append((facet, BASELINE, alpha, *flat.columns()))
    return Figure(
        "alphas",
        "Does holding the language subspace help other languages?",
        "curve",
        pd.DataFrame(rows, columns=["fine-tuning", "series", "alpha", *SPREAD]),
        reading="Mean score in languages that were not trained on, by the weight of the penalty; dashed: fine-tuning "
        "without it.",
        intervals="Bands are 95% intervals over seeds.",
        alt="Zero-shot scores by alpha for every set of layers and subspace, beside the baseline.",
        x="alpha",
        facet="fine-tuning",
        baselines=(BASELINE,),
        log_x=True,
        x_title="alpha",
        y_title="mean zero-shot score, points",
        decimals=2,
        paper="Liang21 Tables 1, 6",
    )


def languages_figure(view: PreserveView) -> Figure:
    """Differences to the baseline by language, a column per condition."""
    rows = []
    for task, source in view.groups():
        for condition in (name for name in view.conditions() if name != BASELINE):
            for target, found in view.compared(task, source, condition).by_target():
                rows.append((f"{task} from {source}", condition, target, *found.columns()))
    return gain_map(
        "languages",
        "Gains by language",
        pd.DataFrame(rows, columns=["fine-tuning", "condition", "language", *SPREAD]),
        reading="Difference to fine-tuning without the penalty, in points, at the alpha chosen on validation data.",
        alt="Gains over the baseline by language and condition.",
        x="condition",
        y="language",
        facet="fine-tuning",
        paper="Liang21 Tables 2-5",
    )


def drift_figure(view: PreserveView) -> Figure:
    """Drift by layer, inside the subspace and outside it."""
    rows = []
    for task, source in view.groups():
        for part in ("inside", "outside"):
            for condition in view.conditions():
                for layer in sorted(view.drifts["layer"].unique().tolist()):
                    found = view.drift(task, source, condition, part, layer=layer)
                    rows.append((f"{task} from {source}, {part}", condition, layer, *found.columns()))
    return Figure(
        "drift",
        "How far fine-tuning moves states, layer by layer",
        "profile",
        pd.DataFrame(rows, columns=["part", "series", "layer", *SPREAD]),
        reading="Root mean square of the move as a share of the spread of states there (0 is the embedding). The list "
        "chooses between inside the language subspace of the pretrained model, which L-DAR holds, and outside it.",
        intervals="Bands are 95% intervals over seeds.",
        alt="Drift by layer, for the baseline and every condition, inside the language subspace and outside it.",
        facet="part",
        baselines=(BASELINE,),
        y_title="move, share of the spread",
    )


def keeping_figure(view: PreserveView) -> Figure:
    """Every condition and alpha: how far languages moved, and what was gained."""
    rows = []
    for task, source in view.groups():
        side = view.judged(task, source)
        for condition in view.conditions():
            for alpha in view.alphas(condition):
                moved = view.drift(task, source, condition, "inside", alpha).value
                gain = view.gain(task, source, condition, side, alpha).value
                label = f"{condition}, alpha {alpha:g}" if alpha else condition
                rows.append((f"{task} from {source}", label, condition, moved, gain))
    return Figure(
        "keeping",
        "Does keeping the subspace pay off?",
        "scatter",
        pd.DataFrame(rows, columns=["fine-tuning", "label", "series", "drift", "gain"]),
        reading="A point per condition and alpha: the further left, the better the language subspace was kept; the "
        "further up, the better other languages were tagged. If keeping helped, points would rise to the left.",
        alt="Gain in zero-shot languages against drift inside the language subspace.",
        x="drift",
        y="gain",
        series="series",
        label="label",
        facet="fine-tuning",
        x_title="drift inside the language subspace",
        y_title="points above the baseline",
    )
