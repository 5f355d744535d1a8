"""Accuracy, micro and macro F1 of labels, one label a word or a text."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar, Self

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.tasks.tallies import Counts, Floats, Tally, divide


@dataclass(frozen=True, eq=False)
class LabelTally(Tally):
    """Right, falsely predicted and missed, each a label: columns are 3 x labels."""

    labels: tuple[str, ...]
    measures: ClassVar[tuple[str, ...]] = ("accuracy", "micro_f1", "macro_f1")

    @classmethod
    def count(cls, gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> Self:
        """Tally ``predicted`` against ``gold``, a sequence of labels a sentence each."""
        lengths = [len(labels) for labels in gold]
        if lengths != [len(labels) for labels in predicted]:
            raise IsoglossError("gold and predicted labels do not have the same lengths")
        names, codes = np.unique([*chain(*gold), *chain(*predicted)], return_inverse=True)
        words, columns = sum(lengths), max(1, len(names))
        right_ones, guesses = codes[:words], codes[words:]
        sentence = np.repeat(np.arange(len(gold)), lengths)
        hit = right_ones == guesses
        counts = np.stack(
            [
                _count(sentence[hit], right_ones[hit], len(gold), columns),
                _count(sentence[~hit], guesses[~hit], len(gold), columns),
                _count(sentence[~hit], right_ones[~hit], len(gold), columns),
            ],
            axis=1,
        )
        return cls(counts.reshape(len(gold), -1), tuple(map(str, names)) or ("",))

    def __add__(self, other: Self) -> Self:
        labels = tuple(sorted({*self.labels, *other.labels}))
        return type(self)(np.concatenate([self._spread(labels), other._spread(labels)]), labels)

    def ratios(self, sums: Floats) -> dict[str, Floats]:
        hits, false, missed = np.moveaxis(sums.reshape(*sums.shape[:-1], 3, -1), -2, 0)
        # A label that is neither there nor predicted has no F1 (0 / 0) and is left out of the mean, as in scikit-learn.
        f1 = divide(2 * hits, 2 * hits + false + missed)
        seen = ~np.isnan(f1)
        accuracy = divide(hits.sum(-1), (hits + missed).sum(-1))
        macro = divide(np.where(seen, f1, 0.0).sum(-1), seen.sum(-1).astype(np.float64))
        return {"accuracy": accuracy, "micro_f1": accuracy, "macro_f1": macro}  # one label a unit: micro F1 is accuracy

    def by_label(self) -> dict[str, float]:
        """F1 of each label."""
        hits, false, missed = self.counts.sum(axis=0, dtype=np.float64).reshape(3, -1)
        return dict(zip(self.labels, divide(2 * hits, 2 * hits + false + missed).tolist(), strict=True))

    def _spread(self, labels: tuple[str, ...]) -> Counts:
        """The counts with a column for each of ``labels``, which include this tally's own."""
        wide = np.zeros((len(self), 3, len(labels)), dtype=np.int64)
        wide[:, :, [labels.index(label) for label in self.labels]] = self.counts.reshape(len(self), 3, -1)
        return wide.reshape(len(self), -1)


def _count(rows: Counts, columns: Counts, height: int, width: int) -> Counts:
    """How often each (row, column) occurs: height x width."""
    return np.bincount(rows * width + columns, minlength=height * width).reshape(height, width)
