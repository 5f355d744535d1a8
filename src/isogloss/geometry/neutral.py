"""Taking the identity of the language out of vectors, four ways behind one interface."""

from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from isogloss.errors import IsoglossError, unknown_name
from isogloss.geometry.arrays import Matrix, as_labels
from isogloss.geometry.densray import DensRay
from isogloss.geometry.estimator import Estimator, check_dims
from isogloss.geometry.lda import LDA
from isogloss.geometry.moments import Moments, moments_of
from isogloss.geometry.storage import read_arrays, write_arrays

Float64 = NDArray[np.float64]
Method = Literal["centre", "densray", "lda", "leace"]
METHODS = ("centre", "densray", "lda", "leace")


class Neutraliser(Estimator):
    """Removes language identity from rows.

    ``centre``: each language's mean is subtracted (Libovicky et al. 2020); ``transform`` needs the languages.
    ``densray``: the first ``dims`` DensRay directions (default: its rank) are projected away; languages count
    alike. ``lda``: the first ``dims`` coordinates of LDA are set to those of the mean, the others stay (oblique
    projection). ``leace``: least-squares concept erasure (Belrose et al. 2023): the smallest change of the rows
    after which no linear classifier beats a constant; class means become equal. ``dims`` keeps it to the
    strongest directions. With all directions ``lda`` and ``leace`` are the same map where no language lacks
    variance.

    All but ``centre`` are one fixed map, ``x -> x matrix_ + offset_``, and need no language at inference.
    """

    def __init__(self, method: Method = "leace", dims: int | None = None) -> None:
        self.method = method
        self.dims = dims

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit on rows ``n x d`` with languages ``y``, or on ``Moments``.

        Sets ``classes_``, ``means_`` (languages x d), ``dims_`` (directions removed) and, except for
        ``centre``, ``matrix_`` (d x d) and ``offset_`` (d).
        """
        check_dims(self.dims)
        if self.method not in METHODS:
            raise unknown_name("method", str(self.method), METHODS)
        moments = moments_of(X, y, "none" if self.method in ("centre", "densray") else "pooled")
        if len(moments.classes) < 2 and self.method != "centre":
            raise IsoglossError("there is only one language to tell apart", remedy="add rows of another")
        self.classes_ = np.array(moments.classes)
        self.means_ = moments.means.copy()
        self.n_features_in_ = moments.dim
        if self.method == "leace":
            self.matrix_, self.offset_, self.dims_ = erase(moments, self.dims)
        elif self.method == "centre":
            self.dims_ = 0
        elif self.method == "lda":
            self.matrix_, self.offset_, self.dims_ = drop_discriminants(moments, self.dims)
        else:
            self.matrix_, self.offset_, self.dims_ = drop_directions(moments, self.dims)
        return self

    def transform(self, X: Any, y: Any = None) -> Matrix:
        """Rows without the language, n x d; ``y`` names each row's language and matters to ``centre`` only."""
        rows = self._fitted_rows(X)
        if self.method == "centre":
            return rows - self._mean_of_each(y, rows.shape[0]).astype(rows.dtype)
        return rows @ self.matrix_.astype(rows.dtype) + self.offset_.astype(rows.dtype)

    def fit_transform(self, X: Any, y: Any) -> Matrix:
        """``fit(X, y).transform(X, y)``."""
        return self.fit(X, y).transform(X, y)

    def save(self, path: str | Path) -> None:
        """Write the fitted map to a safetensors file."""
        names = ("means_",) if self.method == "centre" else ("means_", "matrix_", "offset_")
        header = {"method": self.method, "dims": self.dims, "removed": self.dims_, "classes": self.classes_.tolist()}
        write_arrays(path, {name: getattr(self, name) for name in names}, {"kind": "neutraliser", **header})

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read what ``save`` wrote."""
        arrays, header = read_arrays(path, "neutraliser")
        fitted = cls(header["method"], header["dims"])
        for name, array in arrays.items():
            setattr(fitted, name, array)
        fitted.classes_, fitted.dims_ = np.array(header["classes"]), header["removed"]
        fitted.n_features_in_ = int(fitted.means_.shape[1])
        return fitted

    def _mean_of_each(self, y: Any, n: int) -> Float64:
        if y is None:
            raise IsoglossError(
                "method 'centre' subtracts the mean of each row's language, and no languages were given",
                remedy="transform(X, languages), or fit with method='leace', which needs none",
            )
        labels, codes = as_labels(y, n)
        places = {label: i for i, label in enumerate(self.classes_.tolist())}
        unknown = [label for label in labels if label not in places]
        if unknown:
            raise unknown_name("language", str(unknown[0]), map(str, places))
        return np.asarray(self.means_[[places[label] for label in labels]][codes])


Map = tuple[Float64, Float64, int]  # matrix d x d and offset d with x -> x matrix + offset; directions removed


def drop_directions(moments: Moments, dims: int | None = None) -> Map:
    """The orthogonal projection away from the first DensRay directions."""
    most = len(moments.classes) - 1  # the rank is at most that
    densray = DensRay(min(dims or most, most), weighting="languages").fit(moments)
    basis = densray.components_[: densray.rank_]
    return np.eye(moments.dim) - basis.T @ basis, np.zeros(moments.dim), len(basis)


def drop_discriminants(moments: Moments, dims: int | None = None) -> Map:
    """``x - (x - mean) V^T V C``: V are discriminants, C is the covariance within languages, ``V C V^T`` is one."""
    discriminants = LDA(dims=dims).fit(moments).components_
    removal = discriminants.T @ (discriminants @ (moments.within() / moments.total))
    return np.eye(moments.dim) - removal, np.asarray(moments.mean @ removal), len(discriminants)


def erase(moments: Moments, dims: int | None = None) -> Map:
    """LEACE in closed form.

    ``r(x) = x - W^+ P W (x - mean)``; W whitens x, P projects on the columns of W's cross-covariance with the
    classes.
    """
    covariance = moments.covariance()
    values, vectors = scipy.linalg.eigh(covariance)
    kept = values > max(values[-1], 0) * len(values) * moments.rounding
    roots, basis = np.sqrt(values[kept]), vectors[:, kept]  # whitening on the span of the rows only
    mean = moments.mean
    cross = (moments.means - mean) * (moments.counts / moments.total)[:, None]  # classes x d
    _, singular, directions = scipy.linalg.svd(cross @ basis / roots, full_matrices=False)
    floor = (singular[0] if singular.size else 0.0) * max(1e-10, moments.rounding)
    rank = int((singular > floor).sum())
    used = directions[: min(rank, dims or rank)]
    removal = (basis / roots) @ used.T @ used @ (basis * roots).T
    return np.eye(len(mean)) - removal, np.asarray(mean @ removal), len(used)
