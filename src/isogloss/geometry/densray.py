"""DensRay: the orthogonal directions in which rows of different languages differ most (Liang21 §3.1, App. A)."""

from typing import Any, Literal, Self

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from isogloss.errors import IsoglossError
from isogloss.geometry.arrays import Matrix, as_labels, as_matrix
from isogloss.geometry.differences import normalised_objective
from isogloss.geometry.estimator import Estimator, check_dims
from isogloss.geometry.moments import Moments

Float64 = NDArray[np.float64]
RELATIVE_FLOOR = float(np.finfo(np.float64).eps)  # times d: eigenvalues below this share of the largest are zero
NEGLIGIBLE = 1e-12  # share of the largest weight below which a class's own scatter has cancelled


class DensRay(Estimator):
    """Eigenvectors of ``A = a_ne * sum (v-w)(v-w)^T over languages - a_eq * the same within languages``.

    ``weight_different`` and ``weight_same`` are ``a_ne`` and ``a_eq``; None means the paper's 2/(n(n-1)) and
    1/n. ``weighting`` says what counts alike: every pair of rows (``pairs``, the definition) or every pair of
    languages (``languages``: sums become means, so a language with more rows has no more say, and with the
    paper's weights only centroids matter). With equal sizes the two differ by a factor only.

    ``differences="normalised"`` brings each ``v-w`` to length one first (Dufter and Schuetze 2019). That is no
    function of moments: it needs the rows, and time that is quadratic in them.

    With n languages of equal size ``A`` is a weighted scatter of n centroids around their mean, so its rank is
    at most n-1 (n = 2: 1), tighter than the n+1 proved in the paper. For two languages of m rows the definition gives
    ``m^2 (c1 - c2)(c1 - c2)^T``; the paper prints m^2/2 there, against its own general form. Eigenvalues are then twice
    those; directions, shares and rank are the same. With unequal sizes and ``pairs`` some
    scatter within languages stays in ``A``, and no such bound holds.
    """

    def __init__(
        self,
        dims: int | None = None,
        weighting: Literal["pairs", "languages"] = "pairs",
        differences: Literal["raw", "normalised"] = "raw",
        weight_different: float | None = None,
        weight_same: float | None = None,
    ) -> None:
        self.dims = dims
        self.weighting = weighting
        self.differences = differences
        self.weight_different = weight_different
        self.weight_same = weight_same

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit on rows ``n x d`` with labels ``y``, or on ``Moments``.

        Sets ``components_`` (k x d, orthonormal rows, best first; k = ``dims`` or d), ``eigenvalues_`` (k),
        ``explained_share_`` (k, shares of the positive eigenvalues), ``rank_`` (positive eigenvalues) and
        ``classes_``.
        """
        if self.weighting not in ("pairs", "languages") or self.differences not in ("raw", "normalised"):
            raise IsoglossError(
                f"DensRay(weighting={self.weighting!r}, differences={self.differences!r}) is unknown",
                remedy="weighting: pairs or languages; differences: raw or normalised",
            )
        check_dims(self.dims)
        if isinstance(X, Moments):
            self._fit_moments(X)
        else:
            self._fit_rows(X, y)
        return self

    def transform(self, X: Any) -> Matrix:
        """Coordinates in the components, n x k, strongest language direction first."""
        rows = self._fitted_rows(X)
        return rows @ self.components_.T.astype(rows.dtype)

    def fit_transform(self, X: Any, y: Any) -> Matrix:
        """``fit(X, y).transform(X)``."""
        return self.fit(X, y).transform(X)

    def _fit_moments(self, moments: Moments) -> None:
        if self.differences == "normalised":
            raise IsoglossError("normalised differences cannot be read off moments", remedy="fit on rows: fit(X, y)")
        own = self._own_weights(moments.counts)
        if not own.any():
            return self._solve(moments, None)
        if moments.second == "class":
            return self._solve(moments, np.einsum("k,kij->ij", own, moments.scatter))
        if np.allclose(own, own[0], rtol=1e-9):
            return self._solve(moments, own[0] * moments.within())
        raise IsoglossError(
            "with unequal class sizes DensRay needs the scatter of each class, these moments are pooled",
            remedy="gather Moments(second='class'), or use DensRay(weighting='languages')",
        )

    def _fit_rows(self, X: Any, y: Any) -> None:
        rows = as_matrix(X)
        classes, codes = as_labels(y, rows.shape[0])
        counts = np.bincount(codes, minlength=len(classes)).astype(np.int64)
        own = self._own_weights(counts)
        centroids = Moments.of(rows, y, second="none")
        if self.differences == "normalised":
            different, same = self._pair_weights(len(classes))
            by_row = self._shares(counts)[codes] / counts[codes]
            return self._set(*_eigen(normalised_objective(rows, codes, by_row, different, same)), centroids)
        return self._solve(centroids, _weighted_scatter(rows, codes, own) if own.any() else None)

    def _pair_weights(self, n: int) -> tuple[float, float]:
        if n < 2:
            raise IsoglossError("DensRay needs at least two languages", remedy="add rows of another")
        different = 2 / (n * (n - 1)) if self.weight_different is None else self.weight_different
        return different, 1 / n if self.weight_same is None else self.weight_same

    def _shares(self, counts: NDArray[np.int64]) -> Float64:
        """How much a language counts, u: its number of rows, or one."""
        return counts.astype(float) if self.weighting == "pairs" else np.ones(len(counts))

    def _own_weights(self, counts: NDArray[np.int64]) -> Float64:
        """The weight of each language's own scatter in ``A``: ``(u/l) (a_ne (U - u) - 2 a_eq u)``."""
        different, same = self._pair_weights(len(counts))
        u = self._shares(counts)
        own = u / counts * (different * (u.sum() - u) - 2 * same * u)
        size = (u / counts * max(abs(different), abs(same))).max() * u.sum()
        return np.where(np.abs(own) > NEGLIGIBLE * size, own, 0.0)

    def _solve(self, moments: Moments, scatter: Float64 | None) -> None:
        """``A = scatter + a_ne U sum of u (c - mean)(c - mean)^T``; without scatter the centroids alone suffice."""
        different, _ = self._pair_weights(len(moments.classes))
        u = self._shares(moments.counts)
        offsets = moments.means - u @ moments.means / u.sum()
        factor = offsets * np.sqrt(abs(different) * u.sum() * u)[:, None]
        if scatter is None and different >= 0:
            values, vectors = _eigen_of_factor(factor, self.dims)
        else:
            within = np.zeros((moments.dim, moments.dim)) if scatter is None else scatter
            values, vectors = _eigen(within + np.sign(different) * (factor.T @ factor))
        self._set(values, vectors, moments)

    def _set(self, values: Float64, vectors: Float64, moments: Moments) -> None:
        positive = np.clip(values, 0, None)
        floor = np.abs(values).max() * len(values) * RELATIVE_FLOOR
        keep = slice(None, self.dims)
        self.eigenvalues_ = values[keep]
        self.components_ = vectors[keep]
        self.explained_share_ = (positive / (positive.sum() or 1.0))[keep]
        self.rank_ = int((values > floor).sum())
        self.classes_ = np.array(moments.classes)
        self.n_features_in_ = moments.dim


def _weighted_scatter(rows: Matrix, codes: NDArray[np.intp], weights: Float64) -> Float64:
    """``sum over classes of weight * within-class scatter``: positive and negative weights apart, rows scaled."""
    scatter = np.zeros((rows.shape[1], rows.shape[1]))
    scales = np.sqrt(np.abs(weights)).astype(rows.dtype)
    for sign in (1, -1):
        chosen = np.sign(weights)[codes] == sign
        if chosen.any():
            scaled = rows[chosen] * scales[codes[chosen], None]
            scatter += sign * Moments.of(scaled, codes[chosen]).within()
    return scatter


def _eigen(A: Float64) -> tuple[Float64, Float64]:
    """Eigenvalues, largest first, and eigenvectors as rows with a fixed sign."""
    values, vectors = scipy.linalg.eigh(A)
    return values[::-1].copy(), fix_signs(vectors.T[::-1])


def _eigen_of_factor(factor: Float64, dims: int | None) -> tuple[Float64, Float64]:
    """The same for ``factor^T factor`` with few rows: one thin SVD, then an orthonormal basis of what is left.

    The basis comes from Householder reflections of the leading vectors, so that it moves little when they do. It is
    left out where the first ``dims`` vectors do not reach into it.
    """
    dim = factor.shape[1]
    _, singular, rows = scipy.linalg.svd(factor, full_matrices=False)
    rank = int((singular > singular[0] * np.sqrt(RELATIVE_FLOOR * dim)).sum())
    values = np.zeros(dim)
    values[:rank] = singular[:rank] ** 2
    leading = fix_signs(rows[:rank])
    if dims is not None and dims <= rank:
        return values, leading
    basis, _ = scipy.linalg.qr(leading.T)
    return values, np.vstack([leading, basis.T[rank:]])


def fix_signs(rows: Float64) -> Float64:
    """Each row's entry of largest size made positive, so that two fits agree."""
    largest = rows[np.arange(len(rows)), np.abs(rows).argmax(axis=1)]
    return rows * np.where(largest < 0, -1.0, 1.0)[:, None]
