"""Tables of an alignment study: a row per couple of encoders, a column per layer."""

from collections.abc import Iterator

import pandas as pd

from isogloss.studies.align.cells.sentences import AS_IS, MAPPED
from isogloss.studies.align.cells.words import BASELINE, CONTEXT, ENTRIES
from isogloss.studies.align.figures import WAYS, pair_name
from isogloss.studies.align.plan.couples import APART, TITLES
from isogloss.studies.align.view import AlignView, by_layer, layer_means, mean_of
from isogloss.studies.figure import SPREAD
from isogloss.studies.result import Table
from isogloss.studies.shared.scores import pick

AVERAGE, OUTPUT = "mean", "output"


def tables_of(view: AlignView) -> Iterator[Table]:
    """The first is the main one."""
    if len(view.scores):
        yield transfer_table(view)
    if len(view.sentences):
        yield retrieval_table(view)
        yield similarity_table(view)
        yield correlation_table(view)
    if len(view.words):
        yield words_table(view)
    if len(view.encoders):
        yield encoders_table(view)


def words_table(view: AlignView) -> Table:
    rows = []
    for target in dict.fromkeys(view.words["target"]):
        record = view.word_records[target]
        titles = {ENTRIES: "entries of one subword", BASELINE[ENTRIES]: f"{record.baseline}, the same words"}
        for vectors, title in titles.items() if view.has_entries(target) else ():
            rows.append(_word_row(view, target, vectors, -1, title))
        for layer in sorted(pick(view.words, target=target, what=CONTEXT)["layer"].unique()):
            rows.append(_word_row(view, target, CONTEXT, int(layer), f"in context, layer {layer}"))
        rows.append(_word_row(view, target, BASELINE[CONTEXT], -1, f"{record.baseline}, the words in context"))
    columns = ["languages", "vectors", *(f"{m}{s}" for m in ("CSLS", "cosine") for s in ("", "_low", "_high", "_n"))]
    return Table(
        "words",
        "Words translated after a map",
        "Precision at 1 (%) on test words of the dictionary, by CSLS and by plain cosine. Rows with and without "
        "context use different words, so each is compared with the word vectors in the row below it.",
        pd.DataFrame(rows, columns=[*columns, "test words", "target words"]),
        index=("languages", "vectors"),
        paper="Wu20 Fig. 4",
    )


def _word_row(view: AlignView, target: str, vectors: str, layer: int, title: str) -> tuple[object, ...]:
    mine = [view.word_rows(target, vectors, layer, measure) for measure in ("csls", "cosine")]
    spreads = [number for rows in mine for number in mean_of(rows).columns()]
    words, candidates = int(mine[0]["n"].iloc[0]), int(mine[0]["candidates"].iloc[0])
    return (pair_name(view, target), title, *spreads, words, candidates)


def transfer_table(view: AlignView) -> Table:
    rows = []
    for task, target in view.groups():
        for (kind, how), series in WAYS.items():
            mine = view.score_rows(task, kind, target, how)
            names = (task, pair_name(view, target), series)
            rows += [(*names, f"layer {layer}", *found) for layer, *found in by_layer(mine)]
    return Table.from_tidy(
        "transfer",
        "Tasks across encoders",
        "Scores (%) in the target language of task layers learnt on a frozen layer of the source's encoder; the last "
        "row of each is the source language itself.",
        pd.DataFrame(rows, columns=["task", "languages", "encoders", "layer", *SPREAD]),
        rows=("task", "languages", "encoders"),
        columns="layer",
        best="max",
        best_in="row",
        paper="Wu20 Figs. 5 and 8",
    )


def retrieval_table(view: AlignView) -> Table:
    rows = []
    for kind, target in view.pairs():
        for measure, more in ((MAPPED, ""), (AS_IS, ", no map")):
            names, mine = (pair_name(view, target), TITLES[kind] + more), view.found(kind, target, measure=measure)
            rows += [(*names, f"layer {layer}", *found) for layer, *found in by_layer(mine)]
            rows += [(*names, OUTPUT, *found) for _, *found in by_layer(view.output(kind, target, measure))]
    return Table.from_tidy(
        "retrieval",
        "Sentences found by their translation",
        "Precision at 1 (%), mean of both directions, by cosine; after the map unless said."
        + (" Output: the vectors of two pipelines as they are deployed." if len(view.outputs) else ""),
        pd.DataFrame(rows, columns=["languages", "encoders", "layer", *SPREAD]),
        rows=("languages", "encoders"),
        columns="layer",
        best="max",
        best_in="row",
        paper="Wu20 Fig. 6",
    )


def similarity_table(view: AlignView) -> Table:
    rows = []
    for kind in view.similarity:
        for couple, target in view.pairs():
            mine = view.found(couple, target, measure=f"cka_{kind}")
            names = (kind, pair_name(view, target), TITLES[couple])
            rows += [(*names, f"layer {layer}", *found) for layer, *found in by_layer(mine, 1.0)]
            rows.append((*names, AVERAGE, *mean_of(layer_means(mine), 1.0).columns()))
            ends = view.output(couple, target, f"cka_{kind}")
            rows += [(*names, OUTPUT, *found) for _, *found in by_layer(ends, 1.0)]
    return Table.from_tidy(
        "similarity",
        "CKA of parallel sentences",
        "By layer, and the mean over layers; intervals are over seeds, or over sentences where there is one seed.",
        pd.DataFrame(rows, columns=["CKA", "languages", "encoders", "layer", *SPREAD]),
        rows=("CKA", "languages", "encoders"),
        columns="layer",
        decimals=2,
        paper="Wu20 Fig. 7",
    )


def correlation_table(view: AlignView) -> Table:
    rows = []
    for target in dict.fromkeys(target for kind, target in view.pairs() if kind == APART):
        kinds = [kind for kind, other in view.pairs() if other == target]
        for name, chosen in ((TITLES[APART], [APART]), ("all encoders", kinds)):
            found = view.correlation(target, chosen)
            rows.append((pair_name(view, target), name, *found.columns()))
    return Table(
        "correlations",
        "CKA and retrieval",
        "Pearson's r over layers and seeds. Layers are not independent, so the interval is too narrow.",
        pd.DataFrame(rows, columns=["languages", "encoders", "r", "r_low", "r_high", "r_n"]),
        index=("languages", "encoders"),
        decimals=2,
        paper="Wu20 §5.2",
    )


def encoders_table(view: AlignView) -> Table:
    return Table(
        "encoders",
        "Encoders pretrained here",
        "Perplexity of masked words on validation text, by language.",
        view.encoders,
        index=("languages", "seed"),
        decimals=0,
    )
