"""The figures of predict: expected scores, errors of each way, alignment by target."""

from collections.abc import Iterator

from isogloss.studies.predict.view import ALL, MEAN, PredictView
from isogloss.studies.result import Figure
from isogloss.studies.shared.comparison import spread_frame


def figures_of(view: PredictView) -> Iterator[Figure]:
    """Scores first where there are any; the ranking always."""
    if view.predicts:
        yield predictions(view)
        yield errors(view)
    yield alignment(view)


def predictions(view: PredictView) -> Figure:
    rows = [(code, way, one) for way in (ALL, MEAN) for code, one in view.predictions(way).items()]
    frame = spread_frame(("language", "way"), rows)
    best = frame[frame["way"] == ALL].sort_values("value").iloc[-1]
    return Figure(
        "predictions", f"Expected scores from {view.source}", "bars", frame,
        reading="Each target's expected score, by all features and by the mean of known languages; bars span the "
        f"{view.confidence:.0%} intervals.",
        alt=f"Expected scores by language; the highest is {best['language']} with {best['value']:.2f}.",
        series="way", y_title="expected score",
    )  # fmt: skip


def errors(view: PredictView) -> Figure:
    frame = spread_frame(("way",), ((way, one.error) for way, one in view.judged.items()))
    best = frame.sort_values("value").iloc[0]
    return Figure(
        "errors", "Error of each way of predicting, on languages left out", "bars", frame,
        reading="Mean absolute error, with intervals over languages: lower is better.",
        alt=f"Errors by way of predicting; the smallest is {best['way']} with {best['value']:.3f}.",
        x="way", y_title="absolute error",
    )  # fmt: skip


def alignment(view: PredictView) -> Figure:
    frame = spread_frame(("language",), ((code, found) for _, code, found in view.ranking()))
    return Figure(
        "alignment", f"Alignment of each target with {view.source}", "bars", frame,
        reading="MEXA, mean over layers.",
        intervals="Lines are 95% intervals over sentences.",
        alt=f"Alignment by language; the highest is {frame['language'].iloc[0]} with {frame['value'].iloc[0]:.2f}.",
        y_title="MEXA",
    )  # fmt: skip
