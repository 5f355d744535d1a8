"""A map between two spaces for states as they are: rotated by Procrustes, brought to the other's mean and length."""

from typing import Any, Self

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.geometry.arrays import Matrix, Vector, as_pair
from isogloss.geometry.estimator import Estimator
from isogloss.geometry.procrustes import Procrustes, iterative_normalisation


class SpaceMap(Estimator):
    """Where rows of X lie in Y's space (Wu20 §5.1.2).

    The rotation is learnt on iteratively normalised rows, as in the paper. What reads the mapped rows was made for rows
    of Y as they are, so a row is then moved from X's mean to Y's and scaled by how far rows lie from their mean, which
    the paper leaves open. Spaces of different width get a rectangular rotation. ``rounds`` are those of normalisation;
    0 learns the rotation on rows around their means.
    """

    def __init__(self, rounds: int = 10) -> None:
        self.rounds = rounds

    def fit(self, X: Any, Y: Any) -> Self:
        """Fit on aligned rows, ``n x d_x`` and ``n x d_y``: x maps to ``x matrix_ + offset_``."""
        rows, others = as_pair(X, Y)
        mean_x, mean_y = (np.asarray(one.mean(axis=0, dtype=np.float64)) for one in (rows, others))
        length = _spread(rows, mean_x)
        if not length:
            raise IsoglossError("all rows of X are the same: there is nothing to map")
        if self.rounds:
            pair = (iterative_normalisation(one, self.rounds) for one in (rows, others))
        else:
            pair = (rows - mean_x, others - mean_y)  # type: ignore[assignment]
        rotation = Procrustes().fit(*pair).matrix_
        self.matrix_: Matrix = rotation * (_spread(others, mean_y) / length)
        self.offset_: Vector = mean_y - mean_x @ self.matrix_
        self.n_features_in_ = rows.shape[1]
        return self

    def transform(self, X: Any) -> Matrix:
        """Rows in Y's space, n x d_y."""
        rows = self._fitted_rows(X)
        return np.asarray(rows @ self.matrix_.astype(rows.dtype) + self.offset_.astype(rows.dtype))


def _spread(rows: Matrix, mean: Vector) -> float:
    """The root of the mean squared distance from the mean."""
    return float(np.sqrt(((rows - mean) ** 2).sum(axis=1).mean()))
