"""The figures of Muller21: losses as a coloured table, similarity by layer (1, 2, 5-8), correlation by layer (3)."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from isogloss.probes.statistics import bootstrap_mean
from isogloss.studies.ablate.tables import by_target, correlation_groups
from isogloss.studies.ablate.view import FINE_TUNED, PRETRAINED, AblateView
from isogloss.studies.columns import ABROAD, HOME
from isogloss.studies.figure import SPREAD
from isogloss.studies.result import Figure
from isogloss.studies.shared.comparison import spread_frame
from isogloss.studies.shared.gain_maps import gain_map

MEAN = "mean over targets"


def figures_of(view: AblateView) -> Iterator[Figure]:
    """All figures that the run has numbers for; the first one is the main one."""
    yield losses_figure(view)
    yield languages_figure(view)
    if len(view.similarities):
        yield similarity_figure(view)
        yield tasks_figure(view)
    if view.correlates:
        yield correlation_figure(view)
        yield scatter_figure(view)


def losses_figure(view: AblateView) -> Figure:
    rows = [
        (f"{task}: {source} - {tested}", layers, view.loss(task, source, side, layers))
        for task, source in view.groups()
        for side, tested in ((HOME, source), (ABROAD, "others"))
        for layers in (view.sets if len(view.of(task, source, side)) else ())
    ]
    frame = spread_frame(("tested", "layers"), rows)
    worst = frame.iloc[int(frame["value"].to_numpy().argmin())]
    return gain_map(
        "losses", "What re-initialising layers before fine-tuning costs", frame,
        reading="Each cell is the change, in points, when the layers below it are re-initialised: a stronger colour "
        "means that these layers matter more. Compare a row of other languages with the home row above it.",
        alt=f"Losses by layers; the largest, {worst['value']:.1f} points, is {worst['tested']} with layers "
        f"{worst['layers']} re-initialised.",
        x="layers", y="tested", x_title="layers re-initialised", paper="Muller21 Table 1",
    )  # fmt: skip


def languages_figure(view: AblateView) -> Figure:
    frame = by_target(view, (HOME, ABROAD))
    long = frame.melt(["task", "source", "target"], [f"Δ {layers}" for layers in view.sets], "layers", "value")
    long["layers"] = long["layers"].str.removeprefix("Δ ")
    long["from"] = long["task"] + " from " + long["source"]
    return gain_map(
        "languages", "Losses by language", long[["from", "target", "layers", "value"]],
        reading="One row per target language: those that lose most depend most on these layers.",
        alt=f"Losses of {long['target'].nunique()} languages by the layers re-initialised.",
        x="layers", y="target", facet="from", x_title="layers re-initialised", paper="Muller21 Tables 6-8",
    )  # fmt: skip


def similarity_figure(view: AblateView) -> Figure:
    """By layer and state: pretrained, fine-tuned, and fine-tuned with layers re-initialised."""
    means: list[tuple[object, ...]] = []
    rows: list[tuple[object, ...]] = []
    for task, source in view.groups():
        for state in (PRETRAINED, FINE_TUNED, *view.sets):
            alike = view.similarity(task, source, state)
            name = state if state in (PRETRAINED, FINE_TUNED) else f"layers {state} re-initialised"
            for layer in alike.columns:
                found = bootstrap_mean(alike[layer])
                means.append((f"{task}, {source}: {MEAN}", name, layer, *found.columns()))
            for target, values in zip(alike.index, alike.to_numpy().tolist(), strict=True):
                pair = f"{task}, {source} - {target}"
                rows += [(pair, name, layer, value) for layer, value in zip(alike.columns, values, strict=True)]
    named = ["pair", "series", "layer", *SPREAD]
    frame = pd.concat([pd.DataFrame(means, columns=named), pd.DataFrame(rows, columns=named[:4])], ignore_index=True)
    return Figure(
        "similarity", "Similarity of parallel sentences with the source's, layer by layer", "profile", frame,
        reading=f"CKA ({view.kind}) of each layer (0 is the embedding): where a line with layers re-initialised is "
        "below 'fine-tuned', these layers made the languages similar.",
        intervals="Bands are 95% intervals over targets.",
        alt=f"Similarity by layer, pretrained and fine-tuned, with and without layers re-initialised; {view.kind} CKA.",
        facet="pair", baselines=(PRETRAINED,), y_title=f"CKA ({view.kind})", paper="Muller21 Figures 2, 6-8",
    )  # fmt: skip


def tasks_figure(view: AblateView) -> Figure:
    """By layer and task, for each pair of languages."""
    rows = view.shown()
    rows = rows[rows["condition"].isin([PRETRAINED, FINE_TUNED])]
    means = rows.groupby(["source", "target", "task", "condition", "layer"], sort=False)["value"].mean().reset_index()
    tuned = means["condition"] == FINE_TUNED
    means["series"] = np.where(tuned, "fine-tuned on " + means["task"], PRETRAINED)
    means["pair"] = means["source"] + " - " + means["target"]
    frame = means.drop_duplicates(["pair", "series", "layer"]).reset_index(drop=True)
    return Figure(
        "tasks", "Does fine-tuning keep languages similar?", "profile", frame[["pair", "series", "layer", "value"]],
        reading=f"CKA ({view.kind}) with the source's sentences before fine-tuning (dashed) and after it, by task.",
        alt="Similarity by layer before and after fine-tuning, a line per task.",
        facet="pair", baselines=(PRETRAINED,), y_title=f"CKA ({view.kind})", paper="Muller21 Figures 1, 4, 5",
    )  # fmt: skip


def correlation_figure(view: AblateView) -> Figure:
    rows = [
        (source, f"{task}, {state}", layer, view.correlation(pairs, state, layer)[0])
        for task, source, pairs in correlation_groups(view)
        for state in (FINE_TUNED, PRETRAINED)
        for layer in range(view.depth + 1)
    ]
    return Figure(
        "correlation", "Similarity and transfer, layer by layer", "profile",
        spread_frame(("source", "series", "layer"), rows),
        reading="Spearman's correlation over languages of a layer's similarity with minus the cross-language gap: up "
        "where languages more like the source lose less.",
        intervals="Bands are 95% intervals over languages.",
        alt="Correlation of similarity and transfer by layer.",
        facet="source", y_title="Spearman's rho", y_range=(-1.0, 1.0), paper="Muller21 Figure 3",
    )  # fmt: skip


def scatter_figure(view: AblateView) -> Figure:
    frame = pd.concat([view.correlation([pair], FINE_TUNED)[1] for pair in view.groups()], ignore_index=True)
    frame["series"] = frame["task"] + " from " + frame["source"]
    return Figure(
        "gap", "Similarity and the cross-language gap", "scatter", frame,
        reading="One point per target: the further right, the more like the source; the further up, the less is lost.",
        alt=f"{len(frame)} points: mean similarity after fine-tuning against the score relative to home.",
        x="similarity", y="transfer", series="series", label="target", x_title=f"CKA ({view.kind}), mean over layers",
        y_title="points above home (minus the gap)",
    )  # fmt: skip
