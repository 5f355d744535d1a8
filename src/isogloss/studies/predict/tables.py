"""The tables of predict: expected scores, each way's errors on languages left out, what to do next, the features."""

from collections.abc import Iterator

import pandas as pd

from isogloss.studies.predict.view import ALL, FEATURES, MEAN, PredictView, chosen_way
from isogloss.studies.result import Table
from isogloss.studies.shared.comparison import spread_of


def tables_of(view: PredictView) -> Iterator[Table]:
    """Predictions first where there are any; the ranking always."""
    if view.predicts:
        yield predictions(view)
        yield judged(view)
        yield steps(view)
    yield ranking(view)
    yield layers(view)
    yield features(view)


def predictions(view: PredictView) -> Table:
    """A row per target: ours and the mean of known languages."""
    ours, mean = view.predictions(ALL), view.predictions(MEAN)
    known = {one.target: one.score for one in view.abroad if one.source == view.source}
    rows = [
        {"target": code, **spread_of("expected", ours[code]), **spread_of(MEAN, mean[code]), "known": known.get(code)}
        for code in sorted(ours, key=lambda code: -ours[code].value)
    ]
    return Table(
        "predictions", f"Expected scores from {view.source}",
        f"With {view.confidence:.0%} jackknife+ intervals over known languages, where there are enough of them. A "
        f"known score is shown beside its expectation. On languages left out, {chosen_way(view)} does best of the two.",
        pd.DataFrame(rows), index=("target",), values=("expected", MEAN, "known"), decimals=view.decimals,
    )  # fmt: skip


def judged(view: PredictView) -> Table:
    """A row per way of predicting."""
    rows = [
        {
            "way": way, **spread_of("error", one.error), "correlation": one.correlation, "coverage": one.coverage,
            "width of intervals": one.width,
            **(spread_of("worse than all features by", view.advantage(way)) if way != ALL else {}),
        }
        for way, one in view.judged.items()
    ]  # fmt: skip
    return Table(
        "judged", "Each way of predicting, on languages left out",
        "Every language is left out in turn, and nothing of it is used: not for the penalty, not for the interval. "
        "Error is absolute; coverage is the share of scores inside their intervals. Litmus, LangRank and mPLM-Sim are "
        "their features in the same ridge regression.",
        pd.DataFrame(rows), index=("way",),
        values=("error", "correlation", "coverage", "width of intervals", "worse than all features by"),
        signed=("worse than all features by",), decimals=3,
    )  # fmt: skip


def steps(view: PredictView) -> Table:
    """A row per candidate."""
    gains, sources = view.gains(), view.sources()
    rows = []
    for code, one in sorted(sources.items(), key=lambda pair: -pair[1].value):
        gain = spread_of("gain if labelled", gains[code]) if code in gains else {}
        rows.append({"language": code, **gain, **spread_of("as source", one)})
    frame = pd.DataFrame(rows)
    if not gains:
        frame["gain if labelled"] = float("nan")
    return Table(
        "steps", "Which language to label next, and which to fine-tune from",
        f"Expected gain in the mean score of the targets when a language is labelled besides {view.source}, and the "
        "expected mean score with it as the only source; intervals by the jackknife over known languages.",
        frame, index=("language",), values=("gain if labelled", "as source"), decimals=view.decimals,
    )  # fmt: skip


def ranking(view: PredictView) -> Table:
    """Targets by alignment."""
    rows = [{"rank": rank, "target": code, **spread_of("alignment", found)} for rank, code, found in view.ranking()]
    return Table(
        "ranking", f"Targets by alignment with {view.source}",
        "MEXA, mean over layers, with intervals over sentences. Languages that tie with the first of their rank "
        "share it.",
        pd.DataFrame(rows), index=("rank", "target"), values=("alignment",), decimals=3,
    )  # fmt: skip


def layers(view: PredictView) -> Table:
    """Alignment layer by layer, and at the output of a pipeline."""
    named = {layer: f"layer {layer}" for layer in range(view.depth + 1)} | {view.output: "output"}
    return Table(
        "layers", f"Alignment with {view.source} by layer",
        "MEXA: the share of sentences that find their translation, and are found by it, before all others."
        + (" Output: the vectors of the pipeline as it is deployed." if view.output else ""),
        view.mexa_by_layer().reset_index().rename(columns=named), index=("target",), decimals=3,
    )  # fmt: skip


def features(view: PredictView) -> Table:
    """What the predictions were made from."""
    mine = view.features[view.features["source"] == view.source]
    mine = mine[mine["target"].isin(view.targets)].reset_index(drop=True)
    return Table(
        "features", f"Features of {view.source} with each target",
        "Retrieval and CKA are means over thirds of the layers; fertility is the log ratio of subwords; overlap is the "
        "share of the target's subwords that the source has too; empty where nothing is known.",
        mine[["target", *FEATURES]], index=("target",), decimals=3,
    )  # fmt: skip
