"""What neutralising does to retrieval and to the languages' share of the variance, on rows it was not fitted on."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.geometry import Moments, Neutraliser, language_share, nearest
from isogloss.geometry.arrays import unit_rows
from isogloss.geometry.neutral import Method
from isogloss.probes.statistics import Estimate, bootstrap_mean
from isogloss.probes.statistics.verdicts import changed

Vectors = Mapping[str, NDArray[np.floating[Any]]]  # language -> n x d, row i the same sentence in all


@dataclass(frozen=True)
class Measured:
    """Precision at 1 of held-out translations, mean over pairs and both ways, and the share of variance by language.

    All of it is measured on the vectors that the folder delivers: ``normalised`` ones have unit length.
    """

    before: Estimate
    after: Estimate
    gain: Estimate
    share_before: float
    share_after: float
    languages: tuple[str, ...]
    fitted_rows: int
    removed: int
    method: str
    normalised: bool

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        estimates = {
            name: {"value": one.value, "low": one.low, "high": one.high, "n": one.n}
            for name, one in (("before", self.before), ("after", self.after), ("gain", self.gain))
        }
        return {
            "method": self.method,
            "removed": self.removed,
            "languages": list(self.languages),
            "fitted_rows": self.fitted_rows,
            "retrieval": estimates,
            "normalised": self.normalised,
            "language_share": {"before": self.share_before, "after": self.share_after},
        }

    def findings(self) -> list[str]:
        """The same in words."""
        before, after, gain = (
            Estimate(100 * one.value, 100 * one.low, 100 * one.high, one.n, over="sentences")
            for one in (self.before, self.after, self.gain)
        )
        delivered = "vectors of unit length, as delivered" if self.normalised else "vectors as delivered"
        return [
            f"{self.removed} directions removed with '{self.method}', fitted on {self.fitted_rows:,} rows of each of "
            f"{len(self.languages)} languages",
            f"translations found among {before.n:,} held-out rows: {before.value:.1f}% before, "
            f"{after.value:.1f}% after; neutralising {changed(gain)}",
            f"share of variance due to language ({delivered}): {self.share_before:.1%} before, "
            f"{self.share_after:.1%} after",
        ]


def fit_and_measure(
    vectors: Vectors, method: Method, dims: int | None = None, seed: int = 0, normalised: bool = False
) -> tuple[Neutraliser, Measured]:
    """Fit on a random half of the rows (the same in all languages) and measure on the other half.

    ``normalised``: what is delivered are these vectors at unit length, so that is what is measured.
    """
    n = len(next(iter(vectors.values())))
    order = np.random.default_rng(seed).permutation(n)
    train, test = np.sort(order[: n // 2]), np.sort(order[n // 2 :])
    fitted = Neutraliser(method, dims).fit(*_stack({language: rows[train] for language, rows in vectors.items()}))
    before = {language: rows[test] for language, rows in vectors.items()}
    after = {language: fitted.transform(rows, [language] * len(rows)) for language, rows in before.items()}
    if normalised:
        before, after = ({language: unit_rows(rows) for language, rows in part.items()} for part in (before, after))
    first, second = _hits(before), _hits(after)
    return fitted, Measured(
        before=bootstrap_mean(first, random_state=seed),
        after=bootstrap_mean(second, random_state=seed),
        gain=bootstrap_mean(second - first, random_state=seed),
        share_before=language_share(Moments.of(*_stack(before))),
        share_after=language_share(Moments.of(*_stack(after))),
        languages=tuple(vectors),
        fitted_rows=len(train),
        removed=fitted.dims_,
        method=method,
        normalised=normalised,
    )


def _stack(vectors: Vectors) -> tuple[NDArray[np.floating[Any]], NDArray[np.str_]]:
    """All rows in one matrix, and the language of each."""
    return np.vstack(list(vectors.values())), np.repeat(list(vectors), [len(rows) for rows in vectors.values()])


def _hits(vectors: Vectors) -> NDArray[np.float64]:
    """For each row the share of ordered language pairs in which its translation is its nearest neighbour, n."""
    pairs = list(permutations(vectors.values(), 2))
    right = np.arange(len(pairs[0][0]))
    found = [nearest(source, target, top=1)[1][:, 0] == right for source, target in pairs]
    return np.asarray(np.mean(found, axis=0), np.float64)
