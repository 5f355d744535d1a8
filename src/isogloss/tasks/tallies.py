"""Counts that add: one row per sentence, every measure a function of the rows' sum, with an interval over sentences."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import IsoglossError, unknown_name
from isogloss.probes.statistics import Estimate

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
_BLOCK = 4_000_000  # weights held at a time: bounds the memory of a bootstrap at about 64 MB


@dataclass(frozen=True, eq=False)
class Tally(ABC):
    """What a language's sentences count up to. ``a + b`` is the tally of both; ``score`` reads a measure off it."""

    counts: Counts  # sentences x columns
    measures: ClassVar[tuple[str, ...]]  # the first is the one that is reported when only one is

    @abstractmethod
    def ratios(self, sums: Floats) -> Mapping[str, Floats]:
        """Every measure from sums of counts (... x columns -> ...); undefined ones are NaN."""

    @abstractmethod
    def __add__(self, other: Self) -> Self:
        """The tally of the sentences of both."""

    def __len__(self) -> int:
        return len(self.counts)

    def score(self, measure: str | None = None) -> float:
        """One measure over all sentences; NaN where there is nothing to count."""
        return self.scores()[self._known(measure)]

    def scores(self) -> dict[str, float]:
        """Every measure over all sentences."""
        return {name: float(value) for name, value in self.ratios(self.counts.sum(axis=0, dtype=np.float64)).items()}

    def estimate(self, measure: str | None = None) -> Estimate:
        """One measure with its bootstrap interval over sentences."""
        return self.estimates()[self._known(measure)]

    def estimates(self, resamples: int = 1000, confidence: float = 0.95, random_state: int = 0) -> dict[str, Estimate]:
        """Every measure with a percentile bootstrap interval; whole sentences are drawn, for all measures alike."""
        if not len(self):
            raise IsoglossError("there is no sentence to score", remedy="give the language some data, or leave it out")
        draws = self.ratios(_resample(self.counts, resamples, np.random.default_rng(random_state)))
        tail = (1 - confidence) / 2
        ends = {name: _quantiles(values, tail) for name, values in draws.items()}
        return {name: Estimate(value, *ends[name], len(self)) for name, value in self.scores().items()}

    def _known(self, measure: str | None) -> str:
        name = measure or self.measures[0]
        if name not in self.measures:
            raise unknown_name("measure", name, self.measures)
        return name


def divide(above: Floats, below: Floats, empty: float = np.nan) -> Floats:
    """``above / below``, and ``empty`` where there is nothing to divide by."""
    shares: Floats = np.divide(above, below, out=np.full(np.shape(below), empty), where=np.asarray(below) > 0)
    return shares


def _resample(counts: Counts, resamples: int, rng: np.random.Generator) -> Floats:
    """Sums over as many sentences as there are, drawn with replacement (resamples x columns)."""
    n, table = len(counts), counts.astype(np.float64)
    blocks = []
    for start in range(0, resamples, max(1, _BLOCK // n)):
        size = min(max(1, _BLOCK // n), resamples - start)
        drawn = rng.integers(0, n, (size, n)) + n * np.arange(size)[:, None]
        weights = np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n)
        blocks.append(weights.astype(np.float64) @ table)
    return np.concatenate(blocks)


def _quantiles(values: Floats, tail: float) -> tuple[float, float]:
    if np.isnan(values).all():
        return np.nan, np.nan
    low, high = np.nanquantile(values, [tail, 1 - tail])
    return float(low), float(high)
