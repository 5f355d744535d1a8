"""The DensRay objective with difference vectors of length one (Dufter and Schuetze 2019), a batch of rows at a time."""

import numpy as np
from numpy.typing import NDArray

from isogloss.geometry.arrays import Matrix

BATCH = 1024


def normalised_objective(
    X: Matrix, codes: NDArray[np.intp], by_row: NDArray[np.float64], different: float, same: float
) -> NDArray[np.float64]:
    """``A`` with ``(v-w)/|v-w|`` in place of ``v-w``, d x d; equal rows have no direction and are left out.

    With ``w_ij`` a pair's signed weight over ``|x_i - x_j|^2`` the sum over pairs is ``X^T (diag(W 1) - W) X``,
    so time is n^2 d and memory is a batch of rows. ``by_row`` scales a pair by the product of its rows'
    entries.
    """
    rows = X.astype(np.float64) - X.mean(axis=0, dtype=np.float64)
    squares = np.einsum("ij,ij->i", rows, rows)
    objective = np.zeros((rows.shape[1], rows.shape[1]))
    for start in range(0, len(rows), BATCH):
        part = slice(start, start + BATCH)
        sums = squares[part, None] + squares
        distances = sums - 2 * rows[part] @ rows.T
        # unordered pairs of different classes count once, ordered pairs within a class twice
        weights = np.where(codes[part, None] == codes, -2 * same, different) * by_row[part, None] * by_row
        weights = np.divide(weights, distances, out=np.zeros_like(weights), where=distances > 1e-12 * sums)
        objective += rows[part].T @ (weights.sum(axis=1)[:, None] * rows[part] - weights @ rows)
    return (objective + objective.T) / 2
