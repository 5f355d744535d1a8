"""Linear discriminant analysis read off moments: no pass over the rows, so any number of them."""

from typing import Any, Literal, Self

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from isogloss.errors import IsoglossError
from isogloss.geometry.arrays import Matrix
from isogloss.geometry.densray import fix_signs
from isogloss.geometry.estimator import Estimator, check_dims
from isogloss.geometry.moments import Moments, moments_of

Float64 = NDArray[np.float64]


class LDA(Estimator):
    """Directions with the largest ratio of scatter between languages to scatter within (Fisher 1936), at most
    n-1.

    ``shrinkage`` moves the covariance within languages towards a multiple of the identity: a share from 0 to 1,
    or ``oas`` for the share of Chen et al. (2010). Without it, directions in which no language varies are left
    out (as scikit-learn's default solver does), at standardised variances below ``tol`` squared.

    Components are scaled so that the covariance within languages is the identity; they are not orthogonal.
    """

    def __init__(self, dims: int | None = None, shrinkage: float | Literal["oas"] = 0.0, tol: float = 1e-4) -> None:
        self.dims = dims
        self.shrinkage = shrinkage
        self.tol = tol

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit on rows ``n x d`` with labels ``y``, or on ``Moments``.

        Sets ``components_`` (k x d, best first; k = ``dims`` or the rank), ``eigenvalues_`` (k),
        ``explained_share_`` (k), ``rank_``, ``mean_`` (d), ``shrinkage_`` and ``classes_``.
        """
        check_dims(self.dims)
        moments = moments_of(X, y)
        if len(moments.classes) < 2:
            raise IsoglossError("LDA needs at least two languages", remedy="add rows of another")
        within = moments.within()
        if not np.diag(within).any():
            raise IsoglossError(
                "no language varies: distances have no scale",
                remedy="give more than one row per language, or use DensRay, which needs centroids only",
            )
        self.shrinkage_, covariance = _shrink(within / moments.total, self.shrinkage, moments.total)
        whitener = _whitener(covariance, max(self.tol**2, 4 * moments.rounding))
        offsets = moments.means - moments.mean
        offsets *= np.sqrt(moments.counts / moments.total)[:, None]
        _, singular, rows = scipy.linalg.svd(offsets @ whitener, full_matrices=False)
        self._set(singular, rows @ whitener.T, moments)
        return self

    def transform(self, X: Any) -> Matrix:
        """Coordinates in the components, n x k, of rows minus the mean of all rows."""
        rows = self._fitted_rows(X)
        return (rows - self.mean_.astype(rows.dtype)) @ self.components_.T.astype(rows.dtype)

    def fit_transform(self, X: Any, y: Any) -> Matrix:
        """``fit(X, y).transform(X)``."""
        return self.fit(X, y).transform(X)

    def _set(self, singular: Float64, components: Float64, moments: Moments) -> None:
        self.rank_ = int((singular > singular[0] * max(self.tol, moments.rounding)).sum()) if singular[0] else 0
        keep = min(self.rank_, self.dims or self.rank_)
        shares = singular**2 / ((singular**2).sum() or 1.0)
        self.eigenvalues_ = singular[:keep] ** 2
        self.explained_share_ = shares[:keep]
        self.components_ = fix_signs(components[:keep])
        self.mean_ = moments.mean
        self.classes_ = np.array(moments.classes)
        self.n_features_in_ = moments.dim


def _shrink(covariance: Float64, shrinkage: float | str, n: int) -> tuple[float, Float64]:
    """The share used and ``(1 - s) C + s tr(C)/d I``."""
    dim = len(covariance)
    scale = np.trace(covariance) / dim
    if shrinkage == "oas":
        mean_square = (covariance**2).mean()
        spread = (n + 1) * (mean_square - scale**2 / dim)
        share = min((mean_square + scale**2) / spread, 1.0) if spread > 0 else 1.0
    elif isinstance(shrinkage, str) or not 0 <= shrinkage <= 1:
        raise IsoglossError(f"shrinkage {shrinkage!r} is not a share", remedy="a number from 0 to 1, or 'oas'")
    else:
        share = float(shrinkage)
    return share, (1 - share) * covariance + share * scale * np.eye(dim)


def _whitener(covariance: Float64, floor: float) -> Float64:
    """``d x r`` map after which the covariance is the identity; variances below ``floor`` are left out.

    Features are standardised first, so that their units do not decide what is left out. Where nothing is near
    to being left out, a Cholesky factor serves, at a tenth of the price of the eigenvectors.
    """
    scales = np.sqrt(np.diag(covariance))
    scales = np.where(scales > 0, scales, 1.0)
    standardised = covariance / np.outer(scales, scales)
    factor, failed = scipy.linalg.lapack.dpotrf(standardised)
    if not failed:
        condition, _ = scipy.linalg.lapack.dpocon(factor, np.abs(standardised).sum(axis=0).max())
        if condition > 100 * floor:
            inverse, _ = scipy.linalg.lapack.dtrtri(factor)
            return np.asarray(np.triu(inverse) / scales[:, None])
    values, vectors = scipy.linalg.eigh(standardised)
    kept = values > floor * max(values[-1], 1.0)
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]) / scales[:, None])
