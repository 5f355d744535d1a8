"""Texts with a language label: what language heads learn from, and what language subspaces are fitted on."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

from isogloss.encoders import Encoder
from isogloss.geometry import LDA, DensRay, Moments
from isogloss.tasks.heads import Classifier
from isogloss.transfer.batches import Batch, Split
from isogloss.transfer.examples import Examples, LanguageUnits
from isogloss.transfer.method import Ground, require_languages
from isogloss.transfer.reading_counts import ReadingCounts
from isogloss.transfer.settings import Settings

Subspace = DensRay | LDA


def require_texts(texts: Mapping[str, Sequence[str]], method: str) -> tuple[str, ...]:
    """The languages of the texts; a method that tells languages apart needs two."""
    languages = tuple(sorted(language for language, lines in texts.items() if lines))
    require_languages(languages, method)
    return languages


class LanguageTexts:
    """Texts of all languages as batches; the target is the language's place in ``languages``."""

    def __init__(self, ground: Ground, method: str, units: LanguageUnits = "subwords") -> None:
        self.languages = require_texts(ground.texts, method)
        drop = ground.settings.drop_unknown
        parts = [
            ground.reader.read_texts(ground.texts[language], number, ground.reading, drop, units)
            for number, language in enumerate(self.languages)
        ]
        items = [item for part in parts for item in part.items]
        counts = sum((part.counts for part in parts), ReadingCounts())
        device = next(ground.stack.model.parameters()).device
        self.split = Split(Examples(items, counts), ground.reader.tokeniser.pad, device)
        self.settings = ground.settings

    def epoch(self, number: int, most: int | None = None) -> Iterator[Batch]:
        """All texts once, or ``most`` of them, in an order of their own each epoch."""
        left = len(self.split) if most is None else most
        for places in self.split.shuffled(_apart(self.settings), number):
            if left <= 0:
                return
            yield self.split.collate(places[:left])
            left -= len(places)

    def forever(self) -> Iterator[Batch]:
        """Batches without an end."""
        for number in count():
            yield from self.epoch(number)


def make_language_head(settings: Settings, width: int, languages: int) -> Classifier:
    """The softmax layer that tells languages apart, with the dropout and the spread of the task's head."""
    dropout = 0.1 if settings.head_dropout is None else settings.head_dropout
    return Classifier(width, languages, dropout, settings.head_spread)


def _apart(settings: Settings) -> Settings:
    """The same settings with draws that do not follow those of the task's batches."""
    return Settings(**{**settings.__dict__, "seed": settings.seed + 7919})


def fit_subspaces(
    ground: Ground, layers: tuple[int, ...], by: Literal["densray", "lda"], tokens: int, method: str
) -> dict[int, Subspace]:
    """The language subspace of each layer, from ``tokens`` random tokens per language (Liang21: 10,000)."""
    languages = require_texts(ground.texts, method)
    rng = np.random.default_rng(ground.settings.seed)
    encoder = Encoder.from_model(ground.stack.model, ground.tokenizer, ground.model, ground.reader.limit)
    moments = {layer: Moments() for layer in layers}
    for language in languages:  # one at a time: a hundred languages need no more memory than one
        drawn = _draw_tokens(encoder, ground.texts[language], layers, tokens, rng)
        for place, layer in enumerate(layers):  # a language with little text has no less say
            moments[layer] += Moments.of(drawn[:, place], language).rescaled(tokens)
    return {layer: _fit(by, found) for layer, found in moments.items()}


def _fit(by: Literal["densray", "lda"], moments: Moments) -> Subspace:
    return LDA().fit(moments) if by == "lda" else DensRay(weighting="languages").fit(moments)


def _draw_tokens(
    encoder: Encoder, texts: Sequence[str], layers: tuple[int, ...], tokens: int, rng: np.random.Generator
) -> NDArray[np.float32]:
    """States of random tokens (tokens x layers x d), from texts in random order until there are enough."""
    rows: list[NDArray[np.float32]] = []
    total = 0
    shuffled = [texts[place] for place in rng.permutation(len(texts)) if texts[place].strip()]
    with torch.no_grad():
        for start in range(0, len(shuffled), 256):
            for block in encoder.stream(shuffled[start : start + 256], level="token", layers=list(layers)):
                rows.append(block.values[~block.missing])
                total += len(rows[-1])
            if total >= 2 * tokens:  # a choice among more than are needed, so that neighbours do not all come along
                break
    gathered = np.concatenate(rows)
    return gathered[rng.permutation(len(gathered))[:tokens]]
