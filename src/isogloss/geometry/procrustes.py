"""Maps between two spaces from aligned rows: orthogonal, rectangular, whitened; and the normalisation before them."""

from typing import Any, Self

import numpy as np
import scipy.linalg

from isogloss.errors import IsoglossError
from isogloss.geometry.arrays import Matrix, Vector, as_matrix, as_pair, unit_rows
from isogloss.geometry.cross_moments import CrossMoments
from isogloss.geometry.estimator import Estimator
from isogloss.geometry.polar import polar, polar_of_rows


class Procrustes(Estimator):
    """The orthogonal map that brings rows of X nearest to their partners in Y (Wu20 §5: ``W = U V^T``).

    Spaces of different width get the nearest map with orthonormal rows or columns. ``centre`` maps around the
    means. ``whiten`` rotates between whitened spaces and gives the result Y's covariance (it centres too).
    With as many rows as dimensions or more, the map is orthogonal whatever the precision of the rows: it is computed in
    float64, and directions in which the rows hardly vary are mapped too. With fewer rows than dimensions, what they
    leave open maps to zero.
    """

    def __init__(self, centre: bool = False, whiten: bool = False) -> None:
        self.centre = centre
        self.whiten = whiten

    def fit(self, X: Any, Y: Any = None) -> Self:
        """Fit on aligned rows, ``n x d_x`` and ``n x d_y``, or on ``CrossMoments``.

        Sets ``matrix_`` (d_x x d_y) and ``offset_`` (d_y): x maps to ``x matrix_ + offset_``.
        """
        if isinstance(X, CrossMoments):
            self._fit_moments(X)
        elif self.whiten:
            self._fit_moments(CrossMoments.of(X, Y))
        else:
            self._fit_rows(*as_pair(X, Y))
        return self

    def transform(self, X: Any) -> Matrix:
        """Rows in Y's space, n x d_y."""
        rows = self._fitted_rows(X)
        mapped = rows @ self.matrix_.astype(rows.dtype)
        return mapped + self.offset_.astype(rows.dtype) if self.offset_.any() else mapped

    def _fit_rows(self, X: Matrix, Y: Matrix) -> None:
        exact_x, exact_y = X.astype(np.float64), Y.astype(np.float64)
        if self.centre:
            mean_x, mean_y = exact_x.mean(axis=0), exact_y.mean(axis=0)
            self._set(polar_of_rows(exact_x - mean_x, exact_y - mean_y), mean_x, mean_y)
        else:
            self._set(polar_of_rows(exact_x, exact_y), None, None)

    def _fit_moments(self, moments: CrossMoments) -> None:
        if not moments.count:
            raise IsoglossError("these moments are empty", remedy="call update(X, Y) first")
        if self.whiten:
            whiten_x, _ = _roots(moments.xx / moments.count)
            whiten_y, colour_y = _roots(moments.yy / moments.count)
            rotation = polar(whiten_x @ moments.xy @ whiten_y, moments.count)
            self._set(whiten_x @ rotation @ colour_y, moments.mean_x, moments.mean_y)
        elif self.centre:
            self._set(polar(moments.xy, moments.count), moments.mean_x, moments.mean_y)
        else:
            raw = moments.xy + moments.count * np.outer(moments.mean_x, moments.mean_y)
            self._set(polar(raw, moments.count), None, None)

    def _set(self, matrix: Matrix, mean_x: Vector | None, mean_y: Vector | None) -> None:
        self.matrix_ = matrix
        if mean_x is None or mean_y is None:
            self.offset_ = np.zeros(matrix.shape[1], matrix.dtype)
        else:
            self.offset_ = mean_y - mean_x @ matrix
        self.n_features_in_ = matrix.shape[0]


def iterative_normalisation(X: Any, rounds: int = 10) -> Matrix:
    """Rows of unit length whose mean is zero, nearly: both steps in turn, ``rounds`` times, unit length last.

    Zhang et al. (2019) show that an orthogonal map needs both; Wu20 §5 applies it before Procrustes.
    """
    rows = unit_rows(as_matrix(X))
    for _ in range(rounds):
        rows = unit_rows(rows - rows.mean(axis=0))
    return rows


def _roots(covariance: Matrix) -> tuple[Matrix, Matrix]:
    """``C^(-1/2)`` and ``C^(1/2)``, on the span of C."""
    values, vectors = scipy.linalg.eigh(covariance)
    kept = values > max(values[-1], 0) * len(values) * np.finfo(np.float64).eps * 10
    roots, basis = np.sqrt(values[kept]), vectors[:, kept]
    return basis / roots @ basis.T, basis * roots @ basis.T
