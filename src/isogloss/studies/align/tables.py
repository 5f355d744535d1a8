"""Tables of an alignment study: a row per couple of encoders, a column per layer."""

from collections.abc import Iterator
from itertools import product

import pandas as pd

from isogloss.studies.align.cells.sentences import AS_IS, MAPPED
from isogloss.studies.align.cells.words import BASELINE, CONTEXT, ENTRIES
from isogloss.studies.align.plan.couples import APART, TITLES
from isogloss.studies.align.view import AlignView, layer_means, mean_of
from isogloss.studies.figure import SPREAD
from isogloss.studies.result import Table
from isogloss.studies.shared.scores import pick


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
        baseline = view.word_records[target].baseline
        titles = {ENTRIES: "entries of one subword", BASELINE[ENTRIES]: f"{baseline}, the same words"}
        for vectors, title in titles.items() if view.has_entries(target) else ():
            rows.append(_word_row(view, target, vectors, -1, title))
        for layer in sorted(pick(view.words, target=target, what=CONTEXT)["layer"].unique()):
            rows.append(_word_row(view, target, CONTEXT, int(layer), f"in context, layer {layer}"))
        rows.append(_word_row(view, target, BASELINE[CONTEXT], -1, f"{baseline}, the words in context"))
    columns = ["languages", "vectors", *(f"{m}{s}" for m in ("CSLS", "cosine") for s in ("", "_low", "_high", "_n"))]
    return Table(
        "words", "Words translated after a map",
        "Precision at 1 (%) on test words of the dictionary, by CSLS and by plain cosine. Rows with and without "
        "context use different words, so each is compared with the word vectors in the row below it.",
        pd.DataFrame(rows, columns=[*columns, "test words", "target words"]),
        index=("languages", "vectors"), paper="Wu20 Fig. 4",
    )  # fmt: skip


def _word_row(view: AlignView, target: str, vectors: str, layer: int, title: str) -> tuple[object, ...]:
    mine = [view.word_rows(target, vectors, layer, measure) for measure in ("csls", "cosine")]
    spreads = [number for rows in mine for number in mean_of(rows).columns()]
    words, candidates = int(mine[0]["n"].iloc[0]), int(mine[0]["candidates"].iloc[0])
    return (view.pair(target), title, *spreads, words, candidates)


def transfer_table(view: AlignView) -> Table:
    frame = view.transfer()
    frame["layer"] = "layer " + frame["layer"].astype(str)
    return Table.from_tidy(
        "transfer", "Tasks across encoders",
        "Scores (%) in the target language of task layers learnt on a frozen layer of the source's encoder; the last "
        "row of each is the source language itself.",
        frame, rows=("task", "languages", "encoders"), columns="layer", best="max", best_in="row",
        paper="Wu20 Figs. 5 and 8",
    )  # fmt: skip


def retrieval_table(view: AlignView) -> Table:
    return Table.from_tidy(
        "retrieval", "Sentences found by their translation",
        "Precision at 1 (%), mean of both directions, by cosine; after the map unless said."
        + (" Output: the vectors of two pipelines as they are deployed." if len(view.outputs) else ""),
        view.by_couple(MAPPED, AS_IS), rows=("languages", "encoders"), columns="head", best="max", best_in="row",
        paper="Wu20 Fig. 6",
    )  # fmt: skip


def similarity_table(view: AlignView) -> Table:
    frame = pd.concat([view.by_couple(f"cka_{kind}", scale=1.0).assign(CKA=kind) for kind in view.similarity])
    rows = []
    for kind, (couple, target) in product(view.similarity, view.pairs()):
        found = mean_of(layer_means(view.found(couple, target, measure=f"cka_{kind}")), 1.0)
        rows.append((kind, view.pair(target), TITLES[couple], "mean", *found.columns()))
    means = pd.DataFrame(rows, columns=["CKA", "languages", "encoders", "head", *SPREAD])
    ends = frame["head"] == "output"  # stands after the mean
    return Table.from_tidy(
        "similarity", "CKA of parallel sentences",
        "By layer, and the mean over layers; intervals are over seeds, or over sentences where there is one seed.",
        pd.concat([frame[~ends], means, frame[ends]]), rows=("CKA", "languages", "encoders"), columns="head",
        decimals=2, paper="Wu20 Fig. 7",
    )  # fmt: skip


def correlation_table(view: AlignView) -> Table:
    rows = [
        (view.pair(target), name, *view.correlation(target, kinds).columns())
        for target in view.targets
        for name, kinds in ((TITLES[APART], [APART]), ("all encoders", []))
    ]
    return Table(
        "correlations", "CKA and retrieval",
        "Pearson's r over layers and seeds. Layers are not independent, so the interval is too narrow.",
        pd.DataFrame(rows, columns=["languages", "encoders", "r", "r_low", "r_high", "r_n"]),
        index=("languages", "encoders"), decimals=2, paper="Wu20 §5.2",
    )  # fmt: skip


def encoders_table(view: AlignView) -> Table:
    return Table(
        "encoders", "Encoders pretrained here", "Perplexity of masked words on validation text, by language.",
        view.encoders, index=("languages", "seed"), decimals=0,
    )  # fmt: skip
