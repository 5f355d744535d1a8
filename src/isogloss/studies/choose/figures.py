"""The figures of a choice: quality against speed, layers, languages."""

from collections.abc import Iterator

from isogloss.languages import language_name
from isogloss.studies.choose.view import ChooseView
from isogloss.studies.result import Figure
from isogloss.studies.shared.comparison import spread_frame


def figures_of(view: ChooseView) -> Iterator[Figure]:
    """The trade-off first."""
    yield trade_off(view)
    yield layers(view)
    yield languages(view)


def trade_off(view: ChooseView) -> Figure:
    rows = [
        (one.name, one.record.sentences_per_second, one.record.parameters / 1e6, one.score()) for one in view.models
    ]
    frame = spread_frame(("model", "sentences per second", "million parameters"), rows)
    top = frame.iloc[int(frame["value"].to_numpy().argmax())]
    return Figure(
        "trade-off", "Quality against speed", "scatter", frame,
        reading="Up is better, right is faster on this machine; bars are 95% intervals over sentences. A model that "
        "another one beats on both is a poor choice.",
        alt=f"{len(frame)} models; {top['model']} is highest at {top['value']:.1f}%.",
        x="sentences per second", y="value", series="model", label="model", hover=("million parameters",), log_x=True,
        y_title="score, %", decimals=1,
    )  # fmt: skip


def layers(view: ChooseView) -> Figure:
    rows = [
        (one.name, place, name, one.score(place))
        for one in view.models
        for place, name in enumerate(one.record.columns)
    ]
    return Figure(
        "layers", "Every layer, model by model", "profile", spread_frame(("series", "layer", "column"), rows),
        reading="Where a model is a pipeline, its last point is its output.",
        intervals="Bands are 95% intervals over sentences.",
        alt=f"Scores by layer of {', '.join(one.name for one in view.models)}.",
        y_title="score, %", hover=("column",), decimals=1,
    )  # fmt: skip


def languages(view: ChooseView) -> Figure:
    rows = [(language_name(code), one.name, one.language(code)) for code in view.languages for one in view.models]
    frame = spread_frame(("language", "model"), rows)
    low = frame.iloc[int(frame["value"].to_numpy().argmin())]
    return Figure(
        "languages", "Every language, model by model", "bars", frame,
        reading="Each model at the layer chosen for it; bars are 95% intervals over sentences.",
        alt=f"Scores by language; the lowest is {low['language']} in {low['model']}, {low['value']:.1f}%.",
        series="model", y_title="score, %", decimals=1,
    )  # fmt: skip
