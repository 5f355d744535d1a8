"""The figures of predict: expected scores, errors of each way, alignment by target."""

from collections.abc import Iterator

import pandas as pd

from isogloss.studies.figure import SPREAD
from isogloss.studies.predict.view import ALL, MEAN, WAYS, PredictView
from isogloss.studies.result import Figure


def figures_of(view: PredictView) -> Iterator[Figure]:
    """Scores first where there are any; the ranking always."""
    if view.predicts:
        yield predictions(view)
        yield errors(view)
    yield alignment(view)


def predictions(view: PredictView) -> Figure:
    rows = [(code, way, *one.columns()) for way in (ALL, MEAN) for code, one in view.predictions(way).items()]
    frame = pd.DataFrame(rows, columns=["language", "way", *SPREAD])
    best = frame[frame["way"] == ALL].sort_values("value").iloc[-1]
    return Figure(
        "predictions", f"Expected scores from {view.source}", "bars", frame,
        reading="Each target's expected score, by all features and by the mean of known languages; bars span the "
        f"{view.confidence:.0%} intervals.",
        alt=f"Expected scores by language; the highest is {best['language']} with {best['value']:.2f}.",
        series="way", y_title="expected score",
    )  # fmt: skip


def errors(view: PredictView) -> Figure:
    rows = [(way, *view.judged[way].error.columns()) for way in WAYS]
    frame = pd.DataFrame(rows, columns=["way", *SPREAD])
    best = frame.sort_values("value").iloc[0]
    return Figure(
        "errors", "Error of each way of predicting, on languages left out", "bars", frame,
        reading="Mean absolute error, with intervals over languages: lower is better.",
        alt=f"Errors by way of predicting; the smallest is {best['way']} with {best['value']:.3f}.",
        x="way", y_title="absolute error",
    )  # fmt: skip


def alignment(view: PredictView) -> Figure:
    frame = pd.DataFrame([(code, *found.columns()) for _, code, found in view.ranking()], columns=["language", *SPREAD])
    return Figure(
        "alignment", f"Alignment of each target with {view.source}", "bars", frame,
        reading="MEXA, mean over layers.",
        intervals="Lines are 95% intervals over sentences.",
        alt=f"Alignment by language; the highest is {frame['language'].iloc[0]} with {frame['value'].iloc[0]:.2f}.",
        y_title="MEXA",
    )  # fmt: skip
