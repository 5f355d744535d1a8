"""The hidden space turned so that language comes first: all of its dimensions, by how well they tell languages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.geometry.densray import DensRay
from isogloss.geometry.lda import LDA
from isogloss.geometry.moments import Moments

Floats = NDArray[np.floating[Any]]
MOST = 0.95  # share of the variance between languages that "most of it" means


@dataclass(frozen=True, eq=False)
class Space:
    """All dimensions of a hidden space, the one that tells languages best first; those from ``rank`` on tell none."""

    method: str
    directions: NDArray[np.float64]  # d x d, a direction per row
    origin: NDArray[np.float64]  # d
    rank: int
    shares: NDArray[np.float64]  # of the variance between languages, by dimension

    @property
    def width(self) -> int:
        return len(self.directions)

    @property
    def most(self) -> int:
        """How many leading dimensions hold 95% of the variance between languages."""
        return int(np.searchsorted(np.cumsum(self.shares), MOST) + 1)

    def project(self, X: Floats, columns: Sequence[int] | None = None) -> NDArray[np.float32]:
        """Coordinates of rows (n x d) in all dimensions, or in some, n x columns."""
        chosen = self.directions if columns is None else self.directions[list(columns)]
        return np.asarray((X - self.origin) @ chosen.T, dtype=np.float32)


def fit_space(method: str, moments: Moments) -> Space:
    """The space that ``method`` (densray, lda) finds.

    LDA finds n-1 directions. They are completed with the directions that DensRay's objective leaves at zero, in
    which the means of all languages agree: exactly what is orthogonal to LDA's by the scatter within languages.
    """
    dense = DensRay(weighting="languages").fit(moments)
    if method == "densray":
        return Space(method, dense.components_, np.zeros(moments.dim), dense.rank_, dense.explained_share_)
    found = LDA().fit(moments)
    directions = np.vstack([found.components_, dense.components_[dense.rank_ :]])
    return Space(method, directions, found.mean_, found.rank_, found.explained_share_)


def fit_centroids(centroids: NDArray[np.float64], languages: Sequence[str]) -> Space:
    """DensRay's space of some languages, which needs no more than their centroids (n x d)."""
    found = DensRay().fit(centroids, list(languages))
    return Space("densray", found.components_, np.zeros(centroids.shape[1]), found.rank_, found.explained_share_)
