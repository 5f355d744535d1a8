"""Where the variance is: how much is due to language, in how many dimensions, and whether a few hog it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import IsoglossError
from isogloss.geometry.arrays import as_matrix, unit_rows
from isogloss.geometry.moments import Moments

Float64 = NDArray[np.float64]


def language_share(moments: Moments, adjusted: bool = True) -> float:
    """The share of all variance that lies between languages, each counting by its rows.

    ``adjusted`` subtracts what finite samples of languages with one and the same mean would show (omega squared
    in place of eta squared); the result may then be slightly below zero.
    """
    between, within = float(np.trace(moments.between())), float(np.trace(moments.within()))
    if not between + within:
        raise IsoglossError("all rows are the same: there is no variance to divide")
    spare = moments.total - len(moments.classes)
    if not adjusted or spare < 1:
        return between / (between + within)
    noise = within / spare
    return (between - (len(moments.classes) - 1) * noise) / (between + within + noise)


def effective_dimension(moments: Moments) -> float:
    """The effective dimension of the language subspace: participation ratio of the centroids, at most n-1."""
    centroids = moments.means - moments.means.mean(axis=0)
    return participation_ratio(centroids @ centroids.T)  # its nonzero eigenvalues are those of the scatter


def isotropy(moments: Moments) -> float:
    """How evenly all rows fill their space: participation ratio of the covariance over d, from 1/d to 1."""
    return participation_ratio(moments.covariance()) / moments.dim


def participation_ratio(scatter: Float64) -> float:
    """``(sum of eigenvalues)^2 / sum of squares``: the number of dimensions that evenly spread variance would need."""
    squares = float((scatter**2).sum())
    if not squares:
        raise IsoglossError("no variance: the dimension is not defined")
    return float(np.trace(scatter)) ** 2 / squares


def mean_pair_cosine(X: Any) -> float:
    """The mean cosine of all pairs of different rows (Ethayarajh 2019's anisotropy), in one pass."""
    rows = unit_rows(as_matrix(X, rows=2).astype(np.float64))
    total = rows.sum(axis=0)
    n = len(rows)
    return float((total @ total - (rows**2).sum()) / (n * (n - 1)))


@dataclass(frozen=True)
class Rogues:
    """The dimensions with most variance and the share of all variance that they hold."""

    dims: tuple[int, ...]
    share: float


def rogue_dimensions(moments: Moments, top: int = 3) -> Rogues:
    """The ``top`` dimensions by variance over all rows. A large share means that they alone decide every cosine."""
    variances = np.diag(moments.covariance())
    if not variances.any():
        raise IsoglossError("all rows are the same: no dimension varies")
    order = np.argsort(-variances, kind="stable")[:top]
    return Rogues(tuple(order.tolist()), float(variances[order].sum() / variances.sum()))
