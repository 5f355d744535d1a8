"""Measures of how alike two sets of representations of the same rows are, behind one call."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg
from scipy.stats import rankdata

from isogloss.errors import IsoglossError, unknown_name
from isogloss.geometry.arrays import Matrix, Vector, as_pair, unit_rows
from isogloss.geometry.hsic import centre
from isogloss.geometry.kernel_alignment import SmallSampleWarning, cka


def similarity(X: Any, Y: Any, measure: str = "cka") -> float:
    """How alike aligned rows ``n x d_x`` and ``n x d_y`` are.

    ``cka``, ``cka-unbiased``, ``cka-rbf``: see ``cka``. ``svcca``: mean canonical correlation of the directions
    that hold 99% of the variance (Raghu et al. 2017). ``pwcca``: all canonical correlations, weighted by what
    they explain of X (Morcos et al. 2018; not symmetric). ``rsa``: rank correlation of the distances (one minus
    Pearson's r) within X and within Y. ``cosine``: mean cosine of partners, for spaces of one width.
    ``procrustes`` is a *distance*: 2 - 2 |X^T Y|_* of centred sets of norm one (Ding et al. 2021), from 0
    (equal up to rotation and scale) to 2.
    """
    if measure not in MEASURES:
        raise unknown_name("measure", measure, MEASURES)
    first, second = as_pair(X, Y, rows=4)
    return MEASURES[measure](first, second)


def mean_cosine(X: Matrix, Y: Matrix) -> float:
    """The mean over rows of the cosine between partners (Chen22 Table VI)."""
    if X.shape[1] != Y.shape[1]:
        raise IsoglossError(
            f"no cosine between {X.shape[1]} and {Y.shape[1]} dimensions", remedy="map one with Procrustes first"
        )
    return float(np.einsum("ij,ij->i", unit_rows(X), unit_rows(Y)).mean(dtype=np.float64))


def svcca(X: Matrix, Y: Matrix, variance: float = 0.99) -> float:
    """Mean canonical correlation of the leading singular directions."""
    correlations, _ = _canonical(_principal(X, variance), _principal(Y, variance))
    return float(correlations.mean())


def pwcca(X: Matrix, Y: Matrix) -> float:
    """Canonical correlations, each weighted by the sizes of its projections on X's features."""
    correlations, variates = _canonical(_principal(X, 1.0), _principal(Y, 1.0))
    weights = np.abs(variates.T @ centre(X.astype(np.float64))).sum(axis=1)
    return float(weights @ correlations / weights.sum())


def procrustes_distance(X: Matrix, Y: Matrix) -> float:
    """``2 - 2 |X^T Y|_*`` of centred sets scaled to Frobenius norm one."""
    first, second = _unit_norm(X), _unit_norm(Y)
    if len(X) < min(X.shape[1], Y.shape[1]):
        # X^T = Q R, so X^T Y has the singular values of R_x R_y^T, n x n
        first, second = (scipy.linalg.qr(rows.T, mode="r")[0][: len(X)].T for rows in (first, second))
    return float(max(0.0, 2 - 2 * scipy.linalg.svdvals(first.T @ second).sum()))


def rsa(X: Matrix, Y: Matrix) -> float:
    """Spearman's correlation of the two sets of distances between rows."""
    above = np.triu_indices(len(X), 1)
    ranks = [rankdata(1 - _correlations(rows)[above]) for rows in (X, Y)]
    if not all(np.ptp(rank) for rank in ranks):
        raise IsoglossError("RSA is not defined: all rows are equally far apart")
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _correlations(rows: Matrix) -> Matrix:
    features = rows - rows.mean(axis=1, keepdims=True)
    units = unit_rows(features.astype(np.float64))
    return np.asarray(units @ units.T)


def _unit_norm(rows: Matrix) -> Matrix:
    centred = centre(rows.astype(np.float64))
    size = np.linalg.norm(centred)
    if not size:
        raise IsoglossError("the distance is not defined: all rows are the same")
    return centred / size


def _principal(rows: Matrix, variance: float) -> Matrix:
    """Orthonormal coordinates (n x k) of the rows in the fewest directions that hold this share of the variance."""
    left, singular, _ = scipy.linalg.svd(centre(rows.astype(np.float64)), full_matrices=False)
    if not singular[0]:
        raise IsoglossError("canonical correlations are not defined: all rows are the same")
    shares = np.cumsum(singular**2) / (singular**2).sum()
    kept = min(int(np.searchsorted(shares, variance - 1e-12)) + 1, int((singular > 1e-10 * singular[0]).sum()))
    return np.asarray(left[:, :kept])


def _canonical(first: Matrix, second: Matrix) -> tuple[Vector, Matrix]:
    """Canonical correlations (k) and X's canonical variates (n x k) of two orthonormal bases."""
    if first.shape[1] + second.shape[1] >= len(first):
        warnings.warn(
            f"{len(first)} rows for {first.shape[1]} and {second.shape[1]} directions: some canonical correlations are "
            "one whatever the data; use more rows",
            SmallSampleWarning,
            stacklevel=4,
        )
    left, correlations, _ = scipy.linalg.svd(first.T @ second, full_matrices=False)
    return np.clip(correlations, 0, 1), first @ left


MEASURES: dict[str, Callable[[Matrix, Matrix], float]] = {
    "cka": cka,
    "cka-unbiased": lambda X, Y: cka(X, Y, kind="unbiased"),
    "cka-rbf": lambda X, Y: cka(X, Y, kind="rbf"),
    "svcca": svcca,
    "pwcca": pwcca,
    "procrustes": procrustes_distance,
    "rsa": rsa,
    "cosine": mean_cosine,
}
