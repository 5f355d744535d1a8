"""Figures of an alignment study, after Wu20's Figs. 4 to 8."""

from collections.abc import Iterator

import pandas as pd

from isogloss.studies.align.cells.sentences import AS_IS, MAPPED
from isogloss.studies.align.cells.task_transfer import AS_IS as TASK_AS_IS
from isogloss.studies.align.cells.task_transfer import HOME
from isogloss.studies.align.cells.words import BASELINE, CONTEXT, ENTRIES
from isogloss.studies.align.plan.couples import AGAIN, APART, BILINGUAL, RANDOM, TITLES
from isogloss.studies.align.view import WAYS, AlignView, by_layer, mean_of
from isogloss.studies.figure import SPREAD
from isogloss.studies.result import Figure
from isogloss.studies.shared.scores import pick

PRECISION = "precision at 1 (%)"


def figures_of(view: AlignView) -> Iterator[Figure]:
    """Those that there is something to show in; the first is the main one."""
    if len(view.sentences):
        yield retrieval_figure(view)
    if len(view.scores):
        yield transfer_figure(view)
    if len(view.sentences):
        if pick(view.sentences, measure=MAPPED)["size"].nunique() > 1:
            yield sizes_figure(view)
        yield similarity_figure(view)
        yield scatter_figure(view)
    if len(view.words):
        if any(map(view.has_entries, view.word_records)):
            yield entries_figure(view)
        yield context_figure(view)


def panels(view: AlignView, frame: pd.DataFrame, *shown: str) -> pd.DataFrame:
    """For each pair of languages its couples, and two encoders of the source language as what can be had at best."""
    parts = [
        frame[(frame["target"] == target) | (frame["condition"] == AGAIN)].assign(pair=view.pair(target))
        for target in view.targets
    ]
    joined = pd.concat(parts, ignore_index=True).rename(columns={"encoders": "series"})
    return joined[["pair", "series", *shown, *SPREAD]]


def past_the_last(view: AlignView) -> str:
    """What stands after the last layer, where pipelines were compared."""
    numbers = sorted(set(view.outputs["layer"].tolist())) if len(view.outputs) else []
    return f" {' and '.join(map(str, numbers))}: the pipelines' output." if numbers else ""


def entries_figure(view: AlignView) -> Figure:
    rows = [
        (view.pair(target), series, *mean_of(view.word_rows(target, vectors)).columns())
        for target in filter(view.has_entries, view.word_records)
        for vectors, series in (
            (ENTRIES, "encoder's entries"), (BASELINE[ENTRIES], view.word_records[target].baseline),
        )
    ]  # fmt: skip
    return Figure(
        "entries", "Words without context", "bars", pd.DataFrame(rows, columns=["pair", "vectors", *SPREAD]),
        reading="Share of test words, all one subword, whose translation comes first after the map (CSLS), beside word "
        "vectors of the same words.",
        alt="Precision of word translation from input embeddings and from word vectors, by pair of languages.",
        x="pair", series="vectors", x_title="languages", y_title=PRECISION, decimals=1, paper="Wu20 Fig. 4a",
    )  # fmt: skip


def context_figure(view: AlignView) -> Figure:
    rows: list[tuple[object, ...]] = []
    for target in dict.fromkeys(view.words["target"]):
        pair, baseline = view.pair(target), view.word_records[target].baseline
        flat = mean_of(view.word_rows(target, BASELINE[CONTEXT])).columns()
        for layer, *found in by_layer(pick(view.words, target=target, what=CONTEXT, measure="csls")):
            rows += [(pair, "encoder", layer, *found), (pair, baseline, layer, *flat)]
    return Figure(
        "context", "Words in context", "profile", pd.DataFrame(rows, columns=["pair", "series", "layer", *SPREAD]),
        reading="Share of test words whose translation comes first after the map, when a word is the mean of all its "
        "occurrences in a layer; the dashed line is word vectors of the same words.",
        alt="Precision of word translation by layer beside word vectors.",
        facet="pair", baselines=tuple(dict.fromkeys(record.baseline for record in view.word_records.values())),
        y_title=PRECISION, decimals=1, paper="Wu20 Fig. 4b",
    )  # fmt: skip


def transfer_figure(view: AlignView) -> Figure:
    frame = view.transfer().rename(columns={"encoders": "series"})
    frame["task"] += ", " + frame["languages"]
    return Figure(
        "transfer", "Tasks across encoders", "profile", frame.drop(columns="languages"),
        reading="Task layers are learnt on a frozen layer of the source's encoder and used on the same layer of the "
        "target's encoder through a map of aligned words; grey lines are the same without the map, and the source "
        "language itself.",
        alt="Zero-shot scores by layer for encoders trained apart and bilingual ones, with and without a map.",
        facet="task", baselines=(WAYS[APART, TASK_AS_IS], WAYS[APART, HOME]),
        y_title="score in the target language (%)", decimals=1, paper="Wu20 Figs. 5 and 8",
    )  # fmt: skip


def retrieval_figure(view: AlignView) -> Figure:
    frame = view.by_couple(MAPPED, AS_IS)
    shown = frame[(frame["measure"] == MAPPED) | (frame["condition"] == BILINGUAL)]
    return Figure(
        "retrieval", "Sentences found by their translation", "profile", panels(view, shown, "layer"),
        reading="Share of test sentences whose nearest neighbour in the other language, after a map learnt from other "
        "sentences, is their translation; the dashed line is an untrained encoder." + past_the_last(view),
        alt="Retrieval of translations by layer for encoders trained apart, bilingual ones and a random one.",
        facet="pair", baselines=(TITLES[RANDOM],), y_title=PRECISION, decimals=1, paper="Wu20 Fig. 6",
    )  # fmt: skip


def sizes_figure(view: AlignView) -> Figure:
    sizes = sorted(pick(view.sentences, measure=MAPPED)["size"].unique())
    rows = [
        (kind, target, TITLES[kind], int(size), *mean_of(mine).columns())
        for kind, target in view.pairs()
        for size in sizes
        if len(mine := view.found(kind, target, view.sentence_layer(kind, target), size=size))
    ]
    frame = pd.DataFrame(rows, columns=["condition", "target", "encoders", "sentences", *SPREAD])
    return Figure(
        "sizes", "How many sentences a map needs", "curve", panels(view, frame, "sentences"),
        reading="Retrieval by the number of parallel sentences that the map is learnt from, at the layer chosen on "
        "sentences held out of them.",
        alt="Retrieval of translations by the number of sentences that the map is learnt from.",
        x="sentences", facet="pair", baselines=(TITLES[RANDOM],), x_title="sentences to learn the map from",
        y_title=PRECISION, log_x=True, decimals=1,
    )  # fmt: skip


def similarity_figure(view: AlignView) -> Figure:
    parts = [panels(view, view.by_couple(f"cka_{kind}", scale=1.0), "layer") for kind in view.similarity]
    parts = [part.assign(pair=part["pair"] + f", {kind}") for part, kind in zip(parts, view.similarity, strict=True)]
    return Figure(
        "similarity", "Similarity of separately trained encoders", "profile", pd.concat(parts, ignore_index=True),
        reading="CKA of parallel sentences, which is invariant to rotation and so needs no map; the dashed line has a "
        "random encoder for the target language, which the plain (linear) estimator does not put at zero."
        + past_the_last(view),
        alt="CKA by layer for encoders trained apart, a bilingual one, the same language again, and a random encoder.",
        facet="pair", baselines=(TITLES[RANDOM],), y_title="CKA", decimals=2, paper="Wu20 Fig. 7",
    )  # fmt: skip


def scatter_figure(view: AlignView) -> Figure:
    joined = pd.concat([view.both(kind, target) for kind, target in view.pairs()], ignore_index=True)
    means = joined.groupby(["condition", "target", "layer"], sort=False)[["cka", "retrieval"]].mean().reset_index()
    frame = means.assign(
        couple=means["condition"].map(TITLES),
        label=[f"{view.pair(t)}, layer {n}" for t, n in zip(means["target"], means["layer"], strict=True)],
        retrieval=100 * means["retrieval"],
    )
    return Figure(
        "correlation", "Similarity and retrieval", "scatter", frame[["couple", "label", "cka", "retrieval"]],
        reading="A point per layer and pair of languages, means over seeds: where CKA is high, does a map find "
        "translations?",
        alt="CKA against retrieval after a map, a point per layer.",
        x="cka", y="retrieval", series="couple", label="label", x_title=f"CKA ({view.similarity[0]})",
        y_title="precision at 1 after the map (%)", decimals=2, paper="Wu20 §5.2",
    )  # fmt: skip
