"""Figures of an alignment study, after Wu20's Figs. 4 to 8."""

from collections.abc import Iterator

import pandas as pd

from isogloss.studies.align.cells.sentences import AS_IS as FOUND_AS_IS
from isogloss.studies.align.cells.sentences import MAPPED as FOUND
from isogloss.studies.align.cells.task_transfer import AS_IS, HOME, MAPPED
from isogloss.studies.align.cells.words import BASELINE, CONTEXT, ENTRIES
from isogloss.studies.align.plan.couples import AGAIN, APART, BILINGUAL, RANDOM, TITLES
from isogloss.studies.align.view import AlignView, by_layer, mean_of
from isogloss.studies.figure import SPREAD
from isogloss.studies.result import Figure
from isogloss.studies.shared.scores import pick

WAYS = {
    (APART, MAPPED): "trained apart, mapped",
    (BILINGUAL, AS_IS): "bilingual",
    (BILINGUAL, MAPPED): "bilingual, mapped",
    (APART, AS_IS): "trained apart, no map",
    (APART, HOME): "source language",
}


def figures_of(view: AlignView) -> Iterator[Figure]:
    """Those that there is something to show in; the first is the main one."""
    if len(view.sentences):
        yield retrieval_figure(view)
    if len(view.scores):
        yield transfer_figure(view)
    if len(view.sentences):
        if pick(view.sentences, measure=FOUND)["size"].nunique() > 1:
            yield sizes_figure(view)
        yield similarity_figure(view)
        yield scatter_figure(view)
    if len(view.words):
        if any(map(view.has_entries, view.word_records)):
            yield entries_figure(view)
        yield context_figure(view)


def pair_name(view: AlignView, target: str) -> str:
    return f"{view.source}-{target}"


def panels(view: AlignView) -> Iterator[tuple[str, str, str]]:
    """For each pair of languages its couples, and two encoders of the source language as what can be had at best."""
    targets = dict.fromkeys(target for kind, target in view.pairs() if kind == APART)
    for shown in targets:
        for kind, target in view.pairs():
            if target == shown or kind == AGAIN:
                yield pair_name(view, shown), kind, target


def past_the_last(view: AlignView) -> str:
    """What stands after the last layer, where pipelines were compared."""
    numbers = sorted(set(view.outputs["layer"].tolist())) if len(view.outputs) else []
    return f" {' and '.join(map(str, numbers))}: the pipelines' output." if numbers else ""


def entries_figure(view: AlignView) -> Figure:
    rows = []
    for target in filter(view.has_entries, view.word_records):
        baseline = view.word_records[target].baseline
        for vectors, series in ((ENTRIES, "encoder's entries"), (BASELINE[ENTRIES], baseline)):
            rows.append((pair_name(view, target), series, *mean_of(view.word_rows(target, vectors)).columns()))
    return Figure(
        "entries",
        "Words without context",
        "bars",
        pd.DataFrame(rows, columns=["pair", "vectors", *SPREAD]),
        reading="Share of test words, all one subword, whose translation comes first after the map (CSLS), beside word "
        "vectors of the same words.",
        alt="Precision of word translation from input embeddings and from word vectors, by pair of languages.",
        x="pair",
        series="vectors",
        x_title="languages",
        y_title="precision at 1 (%)",
        decimals=1,
        paper="Wu20 Fig. 4a",
    )


def context_figure(view: AlignView) -> Figure:
    rows = []
    for target in dict.fromkeys(view.words["target"]):
        baseline = view.word_records[target].baseline
        mine = pick(view.words, target=target, what=CONTEXT, measure="csls")
        flat = mean_of(view.word_rows(target, BASELINE[CONTEXT])).columns()
        for layer, *found in by_layer(mine):
            rows.append((pair_name(view, target), "encoder", layer, *found))
            rows.append((pair_name(view, target), baseline, layer, *flat))
    return Figure(
        "context",
        "Words in context",
        "profile",
        pd.DataFrame(rows, columns=["pair", "series", "layer", *SPREAD]),
        reading="Share of test words whose translation comes first after the map, when a word is the mean of all its "
        "occurrences in a layer; the dashed line is word vectors of the same words.",
        alt="Precision of word translation by layer beside word vectors.",
        facet="pair",
        baselines=tuple(dict.fromkeys(record.baseline for record in view.word_records.values())),
        y_title="precision at 1 (%)",
        decimals=1,
        paper="Wu20 Fig. 4b",
    )


def transfer_figure(view: AlignView) -> Figure:
    rows = []
    for task, target in view.groups():
        for (kind, how), series in WAYS.items():
            facet, mine = f"{task}, {pair_name(view, target)}", view.score_rows(task, kind, target, how)
            rows += [(facet, series, *found) for found in by_layer(mine)]
    return Figure(
        "transfer",
        "Tasks across encoders",
        "profile",
        pd.DataFrame(rows, columns=["task", "series", "layer", *SPREAD]),
        reading="Task layers are learnt on a frozen layer of the source's encoder and used on the same layer of the "
        "target's encoder through a map of aligned words; grey lines are the same without the map, and the source "
        "language itself.",
        alt="Zero-shot scores by layer for encoders trained apart and bilingual ones, with and without a map.",
        facet="task",
        baselines=(WAYS[APART, AS_IS], WAYS[APART, HOME]),
        y_title="score in the target language (%)",
        decimals=1,
        paper="Wu20 Figs. 5 and 8",
    )


def retrieval_figure(view: AlignView) -> Figure:
    rows = []
    for pair, kind, target in panels(view):
        for measure, more in ((FOUND, ""), *([(FOUND_AS_IS, ", no map")] if kind == BILINGUAL else [])):
            both = (view.found(kind, target, measure=measure), view.output(kind, target, measure))
            rows += [(pair, TITLES[kind] + more, *found) for mine in both for found in by_layer(mine)]
    return Figure(
        "retrieval",
        "Sentences found by their translation",
        "profile",
        pd.DataFrame(rows, columns=["pair", "series", "layer", *SPREAD]),
        reading="Share of test sentences whose nearest neighbour in the other language, after a map learnt from other "
        "sentences, is their translation; the dashed line is an untrained encoder." + past_the_last(view),
        alt="Retrieval of translations by layer for encoders trained apart, bilingual ones and a random one.",
        facet="pair",
        baselines=(TITLES[RANDOM],),
        y_title="precision at 1 (%)",
        decimals=1,
        paper="Wu20 Fig. 6",
    )


def sizes_figure(view: AlignView) -> Figure:
    rows = []
    for pair, kind, target in panels(view):
        layer = view.sentence_layer(kind, target)
        for size in sorted(pick(view.sentences, measure=FOUND)["size"].unique()):
            mine = view.found(kind, target, layer, size=size)
            if len(mine):
                rows.append((pair, TITLES[kind], int(size), *mean_of(mine).columns()))
    return Figure(
        "sizes",
        "How many sentences a map needs",
        "curve",
        pd.DataFrame(rows, columns=["pair", "series", "sentences", *SPREAD]),
        reading="Retrieval by the number of parallel sentences that the map is learnt from, at the layer chosen on "
        "sentences held out of them.",
        alt="Retrieval of translations by the number of sentences that the map is learnt from.",
        x="sentences",
        facet="pair",
        baselines=(TITLES[RANDOM],),
        x_title="sentences to learn the map from",
        y_title="precision at 1 (%)",
        log_x=True,
        decimals=1,
    )


def similarity_figure(view: AlignView) -> Figure:
    rows = []
    for kind in view.similarity:
        for pair, couple, target in panels(view):
            both = (view.found(couple, target, measure=f"cka_{kind}"), view.output(couple, target, f"cka_{kind}"))
            rows += [(f"{pair}, {kind}", TITLES[couple], *found) for mine in both for found in by_layer(mine, 1.0)]
    return Figure(
        "similarity",
        "Similarity of separately trained encoders",
        "profile",
        pd.DataFrame(rows, columns=["pair", "series", "layer", *SPREAD]),
        reading="CKA of parallel sentences, which is invariant to rotation and so needs no map; the dashed line has a "
        "random encoder for the target language, which the plain (linear) estimator does not put at zero."
        + past_the_last(view),
        alt="CKA by layer for encoders trained apart, a bilingual one, the same language again, and a random encoder.",
        facet="pair",
        baselines=(TITLES[RANDOM],),
        y_title="CKA",
        decimals=2,
        paper="Wu20 Fig. 7",
    )


def scatter_figure(view: AlignView) -> Figure:
    joined = pd.concat([view.both(kind, target) for kind, target in view.pairs()], ignore_index=True)
    means = joined.groupby(["condition", "target", "layer"], sort=False)[["cka", "retrieval"]].mean().reset_index()
    frame = means.assign(
        couple=[TITLES[kind] for kind in means["condition"]],
        label=[f"{pair_name(view, t)}, layer {n}" for t, n in zip(means["target"], means["layer"], strict=True)],
        retrieval=100 * means["retrieval"],
    )
    return Figure(
        "correlation",
        "Similarity and retrieval",
        "scatter",
        frame[["couple", "label", "cka", "retrieval"]],
        reading="A point per layer and pair of languages, means over seeds: where CKA is high, does a map find "
        "translations?",
        alt="CKA against retrieval after a map, a point per layer.",
        x="cka",
        y="retrieval",
        series="couple",
        label="label",
        x_title=f"CKA ({view.similarity[0]})",
        y_title="precision at 1 after the map (%)",
        decimals=2,
        paper="Wu20 §5.2",
    )
