"""The polar factor of a cross product ``X^T Y``: the orthogonal map that brings rows of X nearest to those of Y.

It is held as two sets of orthonormal directions, ``left`` (d_x x r) and ``right`` (d_y x r): the factor is
``left @ right.T``. Comparing mapped rows takes no more than these, and few rows make them narrow.

Decompositions are numpy's and torch's: scipy's keep other threads waiting, and pairs are mapped side by side.
"""

from collections.abc import Callable

import numpy as np
import scipy.linalg
import torch
from scipy.linalg import blas, lapack

from isogloss.geometry.arrays import Matrix, Vector

# A reciprocal condition. Above it a Gram matrix or an inverse may serve, and a map is right to about 1e-8, as rows of
# float32 are not; below it orthonormal bases and a singular value decomposition take over.
WELL_CONDITIONED = 1e-8

Directions = tuple[Matrix, Matrix]


def polar(cross: Matrix, rows: int) -> Matrix:
    """``U V^T`` of ``cross = U S V^T``, a sum over ``rows`` in float64."""
    left, right = directions_of(cross, rows)
    return np.asarray(left @ right.T)


def polar_of_rows(X: Matrix, Y: Matrix) -> Matrix:
    """``polar(X^T Y, n)``."""
    left, right = directions_of_rows(X, Y)
    return np.asarray(left @ right.T)


def directions_of_rows(X: Matrix, Y: Matrix) -> Directions:
    """``directions_of(X^T Y)``; with fewer rows than dimensions, decomposed in the space that the rows span (n x n)."""
    if len(X) >= min(X.shape[1], Y.shape[1]):
        return directions_of(X.T @ Y, len(X))
    if _means_are_noise(X, Y):
        X, Y = _around_mean(X), _around_mean(Y)
    return _directions_by_grams(X, Y) or _directions_by_bases(X, Y)


def directions_of(cross: Matrix, rows: int) -> Directions:
    """``U`` and ``V`` with ``polar(cross, rows) = U V^T``.

    Fewer rows than dimensions leave directions open: their singular values are rounding noise, and are left out.
    """
    milder = _newton_step(cross) if cross.shape[0] == cross.shape[1] else None
    if milder is not None:
        singular, right = _right_singular((milder.T @ milder).T)
        left = milder @ right
        left /= singular
        return left, right
    left, singular, transposed = np.linalg.svd(cross, full_matrices=False)
    if rows >= min(cross.shape):
        return left, transposed.T
    floor = singular[0] * max(cross.shape) * np.finfo(cross.dtype).eps if singular.size else 0.0
    rank = int((singular > floor).sum())
    return left[:, :rank], transposed[:rank].T


def _newton_step(cross: Matrix) -> Matrix | None:
    """A matrix with the polar factor of ``cross`` and about the root of its condition (Higham 1986).

    The eigendecomposition of its Gram matrix, which squares the condition again, is then as precise as a singular value
    decomposition of ``cross``, and faster. None where ``cross`` is too near to a singular matrix.
    """
    factors, pivots, _ = lapack.dgetrf(cross)
    reciprocal, _ = lapack.dgecon(factors, np.linalg.norm(cross, 1))
    if not reciprocal > WELL_CONDITIONED:
        return None
    inverse = lapack.dgetri(factors, pivots, overwrite_lu=1)[0].T
    inverse *= np.linalg.norm(cross) / np.linalg.norm(inverse)
    inverse += cross
    return np.asarray(inverse)


def _right_singular(squared: Matrix) -> tuple[Vector, Matrix]:
    """Singular values and right singular directions of C, from the lower half of ``C^T C``."""
    values, vectors = np.linalg.eigh(squared)
    return np.sqrt(values), vectors


def _directions_by_grams(X: Matrix, Y: Matrix) -> Directions | None:
    """By triangular L with ``L L^T = rows rows^T``: X = L B, where B has orthonormal rows and is never formed.

    ``X^T Y = B_x^T C B_y`` with ``C = L_x^T L_y``. None where so much of the precision would be lost that orthonormal
    bases are needed: rows that nearly depend on each other.
    """
    gram = Y @ Y.T
    norm_y = _largest(gram.dot, len(gram))
    corner_y = _corner(gram, norm_y)
    if corner_y is None:
        return None
    gram = X @ X.T
    norm_x = _largest(gram.dot, len(gram))
    # C^T C = L_y^T G_x L_y, in the place of G_x: fresh memory costs time
    squared, _ = lapack.dsygst(gram.T, corner_y, itype=2, lower=1, overwrite_a=1)
    if _corner(squared, norm_x * norm_y) is not None:
        singular, right = _right_singular(squared)
        left = blas.dtrmm(1.0, corner_y, right, lower=1)
        left /= singular  # L_x^-T U = L_x^-T C V / S = L_y V / S
    else:
        corner_x = _corner(X @ X.T, norm_x)
        if corner_x is None:
            return None
        left, right = directions_of(blas.dtrmm(1.0, corner_x, corner_y, lower=1, trans_a=1), len(X))
        left = _solve_transposed(corner_x, left)
    return X.T @ left, Y.T @ _solve_transposed(corner_y, right)


def _corner(gram: Matrix, norm: float) -> Matrix | None:
    """Lower triangular L with ``L L^T = gram``; None where the rounding of matrices of that ``norm`` would be felt."""
    try:
        corner: Matrix = np.linalg.cholesky(gram)
    except np.linalg.LinAlgError:
        return None
    inverse = _largest(lambda one: scipy.linalg.cho_solve((corner, True), one, check_finite=False), len(gram))
    return corner if norm * inverse < 1 / WELL_CONDITIONED else None


def _solve_transposed(corner: Matrix, right: Matrix) -> Matrix:
    """``L^-T right``."""
    upper, wanted = torch.from_numpy(corner).T, torch.from_numpy(np.ascontiguousarray(right))
    return np.asarray(torch.linalg.solve_triangular(upper, wanted, upper=True))


def _largest(product: Callable[[Vector], Vector], n: int) -> float:
    """The largest eigenvalue of a symmetric matrix, nearly and never above it, from its products with vectors."""
    vector: Vector = np.random.default_rng(0).standard_normal(n)
    for _ in range(3):
        vector = product(vector / (np.linalg.norm(vector) or 1))
    return float(np.linalg.norm(vector))


def _directions_by_bases(X: Matrix, Y: Matrix) -> Directions:
    (basis_x, corner_x), (basis_y, corner_y) = (
        scipy.linalg.qr(rows.T, mode="economic", check_finite=False) for rows in (X, Y)
    )
    # One row less than the corner's width: rows around their mean span that much, and the rest is noise.
    left, right = directions_of(corner_x @ corner_y.T, len(X) - 1)
    return basis_x @ left, basis_y @ right


def _means_are_noise(X: Matrix, Y: Matrix) -> bool:
    """Whether the means add less to X^T Y than its last singular value must have to count in ``directions_of``."""
    added = np.linalg.norm(X.mean(axis=0)) * np.linalg.norm(Y.mean(axis=0))  # n times; the floor has a factor n too
    eps = np.finfo(X.dtype).eps
    if added >= eps * np.linalg.norm(X) * np.linalg.norm(Y):
        return False
    return bool(added < eps * np.sqrt(_largest(lambda one: Y.T @ (X @ (X.T @ (Y @ one))), Y.shape[1])))


def _around_mean(rows: Matrix) -> Matrix:
    """n - 1 rows that make the X^T Y of all n around their mean: a reflection of the n, without the mean's row."""
    root = np.sqrt(len(rows))
    return np.asarray(rows[:-1] - (root * rows.mean(axis=0) + rows[-1]) / (root + 1))
