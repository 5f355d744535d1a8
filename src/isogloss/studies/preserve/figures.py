"""Figures of a study of L-DAR: scores by alpha, gains by language, drift by layer, and drift against gain."""

from collections.abc import Iterator

import pandas as pd

from isogloss.studies.preserve.plan import BASELINE
from isogloss.studies.preserve.view import PreserveView
from isogloss.studies.result import Figure
from isogloss.studies.shared.comparison import spread_frame
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
        tried = [(condition, alpha) for condition in view.held() for alpha in view.alphas(condition)]
        rows += [(facet, held, alpha, view.level(task, source, held, side, alpha)) for held, alpha in tried]
        flat = view.level(task, source, BASELINE, side)
        rows += [(facet, BASELINE, alpha, flat) for alpha in sorted({alpha for _, alpha in tried})]
    return Figure(
        "alphas", "Does holding the language subspace help other languages?", "curve",
        spread_frame(("fine-tuning", "series", "alpha"), rows),
        reading="Mean score in languages that were not trained on, by the weight of the penalty; dashed: fine-tuning "
        "without it.",
        intervals="Bands are 95% intervals over seeds.",
        alt="Zero-shot scores by alpha for every set of layers and subspace, beside the baseline.",
        x="alpha", facet="fine-tuning", baselines=(BASELINE,), log_x=True, x_title="alpha",
        y_title="mean zero-shot score, points", decimals=2, paper="Liang21 Tables 1, 6",
    )  # fmt: skip


def languages_figure(view: PreserveView) -> Figure:
    """Differences to the baseline by language, a column per condition."""
    rows = [
        (f"{task} from {source}", condition, target, found)
        for task, source in view.groups()
        for condition in view.conditions()[1:]  # the baseline is the first
        for target, found in view.compared(task, source, condition).by_target()
    ]
    return gain_map(
        "languages", "Gains by language", spread_frame(("fine-tuning", "condition", "language"), rows),
        reading="Difference to fine-tuning without the penalty, in points, at the alpha chosen on validation data.",
        alt="Gains over the baseline by language and condition.",
        x="condition", y="language", facet="fine-tuning", paper="Liang21 Tables 2-5",
    )  # fmt: skip


def drift_figure(view: PreserveView) -> Figure:
    """Drift by layer, inside the subspace and outside it."""
    rows = [
        (f"{task} from {source}, {part}", condition, layer, view.drift(task, source, condition, part, layer=layer))
        for task, source in view.groups()
        for part in ("inside", "outside")
        for condition in view.conditions()
        for layer in sorted(view.drifts["layer"].unique().tolist())
    ]
    return Figure(
        "drift", "How far fine-tuning moves states, layer by layer", "profile",
        spread_frame(("part", "series", "layer"), rows),
        reading="Root mean square of the move as a share of the spread of states there (0 is the embedding). The list "
        "chooses between inside the language subspace of the pretrained model, which L-DAR holds, and outside it.",
        intervals="Bands are 95% intervals over seeds.",
        alt="Drift by layer, for the baseline and every condition, inside the language subspace and outside it.",
        facet="part", baselines=(BASELINE,), y_title="move, share of the spread",
    )  # fmt: skip


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
        "keeping", "Does keeping the subspace pay off?", "scatter",
        pd.DataFrame(rows, columns=["fine-tuning", "label", "series", "drift", "gain"]),
        reading="A point per condition and alpha: the further left, the better the language subspace was kept; the "
        "further up, the better other languages were tagged. If keeping helped, points would rise to the left.",
        alt="Gain in zero-shot languages against drift inside the language subspace.",
        x="drift", y="gain", series="series", label="label", facet="fine-tuning",
        x_title="drift inside the language subspace", y_title="points above the baseline",
    )  # fmt: skip
