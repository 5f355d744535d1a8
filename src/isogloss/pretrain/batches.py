"""Rows of one language, drawn as a pure function of the seed and the step: there is no position to lose."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from isogloss.pretrain.prepare import Corpus
from isogloss.pretrain.recipe import Recipe
from isogloss.pretrain.tokenisers import Specials
from isogloss.pretrain.tokens import Stream

Rows = npt.NDArray[np.int64]
ROWS, MASKS, SWITCHES, DROPOUT = range(4)  # what a step's chance is for; each has its own stream of numbers


def chance(seed: int, purpose: int, *position: int) -> np.random.Generator:
    """Random numbers for one purpose at one place of a run, the same whenever and wherever they are drawn."""
    return np.random.Generator(np.random.Philox(np.random.SeedSequence([seed, purpose, *position])))


def language_shares(sizes: Mapping[str, int], alpha: float) -> dict[str, float]:
    """How often each language is drawn: size^alpha, scaled to sum to 1 (Wu20 §3.1)."""
    weights = {language: float(size) ** alpha for language, size in sizes.items()}
    total = sum(weights.values())
    return {language: weight / total for language, weight in weights.items()}


@dataclass(frozen=True)
class Buckets:
    """Sentences of one language by their length in rows, so that a batch needs no padding."""

    lengths: Rows  # distinct lengths, special tokens included
    order: Rows  # sentence numbers, shortest first
    bounds: Rows  # where each length begins in ``order``, and the end

    @staticmethod
    def of(stream: Stream, longest: int) -> "Buckets":
        cut = np.minimum(stream.lengths() + 2, longest)
        order = np.argsort(cut, kind="stable")
        lengths, first = np.unique(cut[order], return_index=True)
        return Buckets(lengths, order, np.append(first, len(order)))

    def pick(self, random: np.random.Generator) -> int:
        """A length, in proportion to the tokens of all sentences that have it."""
        weights = self.lengths * np.diff(self.bounds)
        return int(random.choice(self.lengths, p=weights / weights.sum()))

    def draw(self, length: int, number: int, random: np.random.Generator) -> Rows:
        """The numbers of ``number`` sentences of a length (at least one)."""
        choice = int(np.searchsorted(self.lengths, length))
        return self.order[random.integers(self.bounds[choice], self.bounds[choice + 1], size=max(1, number))]


class Sampler:
    """Draws the rows of a batch: one language, all rows of one length."""

    def __init__(self, corpus: Corpus, recipe: Recipe) -> None:
        self.streams, self.specials = corpus.training, corpus.tokenisers.specials
        self.length, self.seed = recipe.data.length, recipe.seed
        self.pairs, self.repeats = recipe.data.pairs, recipe.data.repeats
        self.batch_tokens = recipe.training.batch_tokens // recipe.data.draws
        self.shares = language_shares({name: len(stream) for name, stream in self.streams.items()}, recipe.data.alpha)
        self.buckets = (
            {name: Buckets.of(stream, self.length) for name, stream in self.streams.items()}
            if recipe.data.layout == "sentences"
            else {}
        )

    def draw(self, step: int, number: int = 0) -> tuple[str, Rows]:
        """Language and rows (rows x tokens) of a step's batch; the first token of each row is the class token."""
        random = chance(self.seed, ROWS, step, number)
        language = str(random.choice(list(self.shares), p=list(self.shares.values())))
        if self.buckets:
            return language, self._sentences(language, random)
        return language, self._running_text(language, random)

    def _running_text(self, language: str, random: np.random.Generator) -> Rows:
        ids, length = self.streams[language].ids, self.length
        first = random.integers(0, len(ids), size=max(1, self.batch_tokens // length))
        places = (first[:, None] + np.arange(length - 1)) % len(ids)  # a short text goes round
        return np.pad(ids[places].astype(np.int64), ((0, 0), (1, 0)), constant_values=self.specials.start)

    def _sentences(self, language: str, random: np.random.Generator) -> Rows:
        """Rows of one sentence or, in a share ``pairs`` of the batches, of two: unrelated, or the same one twice."""
        buckets, stream = self.buckets[language], self.streams[language]
        length = buckets.pick(random)
        if not self.pairs or random.random() >= self.pairs:  # without pairs no number is drawn: old runs stay the same
            return sentence_rows(
                stream, buckets.draw(length, self.batch_tokens // length, random), length, self.specials
            )
        repeated = self.repeats > 0 and random.random() < self.repeats
        other = length if repeated else buckets.pick(random)
        number = self.batch_tokens // (length + other - 1)
        first = second = sentence_rows(stream, buckets.draw(length, number, random), length, self.specials)
        if not repeated:
            second = sentence_rows(stream, buckets.draw(other, number, random), other, self.specials)
        return self._fitted(np.concatenate([first, second[:, 1:]], axis=1))

    def _fitted(self, rows: Rows) -> Rows:
        """Rows cut where they are too long for the model; they still end in a separator."""
        rows = np.ascontiguousarray(rows[:, : self.length])
        rows[:, -1] = self.specials.separator
        return rows


def sentence_rows(stream: Stream, numbers: Rows, length: int, specials: Specials) -> Rows:
    """Whole sentences of one length as rows: class token, sentence (cut where it is too long), separator."""
    places = stream.starts[numbers].astype(np.int64)[:, None] + np.arange(length - 2)
    ends = ((0, 0), (specials.start, specials.separator))
    return np.pad(stream.ids[places].astype(np.int64), ((0, 0), (1, 1)), constant_values=ends)
