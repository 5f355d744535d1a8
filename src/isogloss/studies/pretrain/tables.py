"""The table of a pretraining: perplexity and use of the vocabulary by language."""

from collections.abc import Iterator

from isogloss.studies.pretrain.view import PretrainView
from isogloss.studies.result import Table


def tables_of(view: PretrainView) -> Iterator[Table]:
    """A row per language."""
    frame = view.languages.assign(anchors=100 * view.languages["anchors"], unknown=100 * view.languages["unknown"])
    yield Table(
        "languages", "Languages",
        "Anchors: share of running text in entries that other languages use too. Fertility: tokens per word.",
        frame.rename(columns={"entries": "vocabulary", "anchors": "anchors, %", "unknown": "unknown, %"}),
        index=("language",),
    )  # fmt: skip
