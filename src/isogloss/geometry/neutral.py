"""Taking the identity of the language out of vectors, six ways behind one interface."""

from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from isogloss.errors import IsoglossError, unknown_name
from isogloss.geometry.arrays import Matrix, as_labels
from isogloss.geometry.densray import DensRay
from isogloss.geometry.estimator import Estimator, check_dims
from isogloss.geometry.gathering import Second
from isogloss.geometry.lda import LDA
from isogloss.geometry.moments import Moments, moments_of
from isogloss.geometry.storage import read_arrays, write_arrays

Float64 = NDArray[np.float64]
Method = Literal["centre", "densray", "lda", "leace", "lir", "lsar"]
METHODS = ("centre", "densray", "lda", "leace", "lir", "lsar")
NEED_LANGUAGES = ("centre", "lir")  # these must be told each row's language, also at inference


class Neutraliser(Estimator):
    """Removes language identity from rows.

    ``centre``: each language's mean is subtracted (Libovicky et al. 2020); ``transform`` needs the languages.
    ``densray``: the first ``dims`` DensRay directions (default: its rank) are projected away; languages count
    alike. ``lda``: the first ``dims`` coordinates of LDA are set to those of the mean, the others stay (oblique
    projection). ``leace``: least-squares concept erasure (Belrose et al. 2023): the smallest change of the rows
    after which no linear classifier beats a constant; class means become equal. ``dims`` keeps it to the
    strongest directions. With all directions ``lda`` and ``leace`` are the same map where no language lacks
    variance.

    ``lir``: of each language, the first ``dims`` principal directions of its rows, not centred, are projected away
    (Yang et al. 2021; default 1); ``transform`` needs the languages. ``lsar``: the languages' means are split into
    what all share and a subspace of ``dims`` directions (default: one less than languages), which is projected away
    (Xie et al. 2022).

    All but ``centre`` and ``lir`` are one fixed map, ``x -> x matrix_ + offset_``, and need no language at inference.
    """

    def __init__(self, method: Method = "leace", dims: int | None = None) -> None:
        self.method = method
        self.dims = dims

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit on rows ``n x d`` with languages ``y``, or on ``Moments``.

        Sets ``classes_``, ``means_`` (languages x d), ``dims_`` (directions removed) and, except for
        ``centre`` and ``lir`` (which has ``bases_``, languages x k x d), ``matrix_`` (d x d) and ``offset_`` (d).
        """
        check_dims(self.dims)
        if self.method not in METHODS:
            raise unknown_name("method", str(self.method), METHODS)
        kinds: dict[str, Second] = {"centre": "none", "densray": "none", "lsar": "none", "lir": "class"}
        moments = moments_of(X, y, kinds.get(self.method, "pooled"))
        if len(moments.classes) < 2 and self.method != "centre":
            raise IsoglossError("there is only one language to tell apart", remedy="add rows of another")
        self.classes_ = np.array(moments.classes)
        self.means_ = moments.means.copy()
        self.n_features_in_ = moments.dim
        if self.method == "leace":
            self.matrix_, self.offset_, self.dims_ = erase(moments, self.dims)
        elif self.method == "centre":
            self.dims_ = 0
        elif self.method == "lir":
            self.bases_ = own_directions(moments, self.dims or 1)
            self.dims_ = self.bases_.shape[1]
        elif self.method == "lsar":
            self.matrix_, self.offset_, self.dims_ = drop_specific(moments, self.dims)
        elif self.method == "lda":
            self.matrix_, self.offset_, self.dims_ = drop_discriminants(moments, self.dims)
        else:
            self.matrix_, self.offset_, self.dims_ = drop_directions(moments, self.dims)
        return self

    def transform(self, X: Any, y: Any = None) -> Matrix:
        """Rows without the language, n x d; ``y`` names each row's language, for ``centre`` and ``lir`` only."""
        rows = self._fitted_rows(X)
        if self.method == "lir":
            bases = self.bases_[self._place_of_each(y, rows.shape[0])].astype(rows.dtype)  # n x k x d
            along = np.einsum("nd,nkd->nk", rows, bases)
            return np.asarray(rows - np.einsum("nk,nkd->nd", along, bases))
        if self.method == "centre":
            return rows - self._mean_of_each(y, rows.shape[0]).astype(rows.dtype)
        return rows @ self.matrix_.astype(rows.dtype) + self.offset_.astype(rows.dtype)

    def fit_transform(self, X: Any, y: Any) -> Matrix:
        """``fit(X, y).transform(X, y)``."""
        return self.fit(X, y).transform(X, y)

    def save(self, path: str | Path) -> None:
        """Write the fitted map to a safetensors file."""
        own = {"centre": (), "lir": ("bases_",)}
        names = ("means_", *own.get(self.method, ("matrix_", "offset_")))
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
        return np.asarray(self.means_[self._place_of_each(y, n)])

    def _place_of_each(self, y: Any, n: int) -> NDArray[np.intp]:
        """The number of each row's language."""
        if y is None:
            raise IsoglossError(
                f"method '{self.method}' needs the language of each row, and no languages were given",
                remedy="transform(X, languages), or fit with method='leace', which needs none",
            )
        labels, codes = as_labels(y, n)
        places = {label: i for i, label in enumerate(self.classes_.tolist())}
        unknown = [label for label in labels if label not in places]
        if unknown:
            raise unknown_name("language", str(unknown[0]), map(str, places))
        return np.array([places[label] for label in labels], dtype=np.intp)[codes]


Map = tuple[Float64, Float64, int]  # matrix d x d and offset d with x -> x matrix + offset; directions removed


def drop_directions(moments: Moments, dims: int | None = None) -> Map:
    """The orthogonal projection away from the first DensRay directions."""
    most = len(moments.classes) - 1  # the rank is at most that
    densray = DensRay(min(dims or most, most), weighting="languages").fit(moments)
    basis = densray.components_[: densray.rank_]
    return np.eye(moments.dim) - basis.T @ basis, np.zeros(moments.dim), len(basis)


def own_directions(moments: Moments, dims: int) -> Float64:
    """Languages x dims x d: the first principal directions of each language's rows about zero, not about their mean."""
    if moments.second != "class":
        raise IsoglossError("LIR needs each language's own scatter", remedy="gather Moments(second='class')")
    raw = moments.scatter + moments.counts[:, None, None] * moments.means[:, :, None] * moments.means[:, None, :]
    kept = min(dims, moments.dim)
    return np.stack([scipy.linalg.eigh(one)[1][:, ::-1][:, :kept].T for one in raw])


def drop_specific(moments: Moments, dims: int | None = None) -> Map:
    """LSAR: the means M (d x languages) as ``m 1^T + S G^T`` with m orthogonal to the subspace S, which goes."""
    means = moments.means.T
    rank = min(dims or len(moments.classes) - 1, len(moments.classes) - 1)
    shared = means.mean(axis=1, keepdims=True)
    left, sizes, right = scipy.linalg.svd(means - shared, full_matrices=False)
    low_rank = shared + (left[:, :rank] * sizes[:rank]) @ right[:rank]
    common = np.linalg.pinv(low_rank).T @ np.ones(len(moments.classes))
    common /= common @ common
    left, sizes, _ = scipy.linalg.svd(low_rank - common[:, None], full_matrices=False)
    real = sizes[:rank] > sizes[0] * max(1e-10, moments.rounding)
    specific = left[:, :rank][:, real]
    return np.eye(moments.dim) - specific @ specific.T, np.zeros(moments.dim), specific.shape[1]


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
