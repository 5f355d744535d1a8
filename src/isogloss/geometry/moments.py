"""Counts, means and scatter of labelled rows, gathered from a stream and merged by addition.

Everything linear that the studies ask of hidden states (centroids, DensRay, LDA, neutralisation, shares of
variance) is read off these sums, so a corpus is passed once and shards add up.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import IsoglossError
from isogloss.geometry.arrays import Indices, Matrix, as_labels, as_matrix, refuse_nonfinite
from isogloss.geometry.gathering import Second, gather
from isogloss.geometry.storage import read_arrays, write_arrays

Label = str | int | float | bool


class Moments:
    """Moments of rows by class (usually: by language), float64 whatever the rows are.

    ``second`` says which scatter is kept: ``pooled`` (one ``d x d`` matrix, enough for LDA, LEACE and for
    DensRay with equal class sizes), ``class`` (one per class, for DensRay with unequal sizes) or ``none``
    (centroids only).

    Rows are shifted by the mean of their class in the block before any product, and blocks are joined with the
    pairwise update of Chan et al. (1983): a mean far larger than the spread costs no digits.
    """

    def __init__(self, second: Second = "pooled") -> None:
        if second not in ("pooled", "class", "none"):
            raise IsoglossError(f"unknown kind of second moments '{second}'", remedy="one of pooled, class, none")
        self.second: Second = second
        self.classes: list[Label] = []
        self.counts: NDArray[np.int64] = np.zeros(0, np.int64)  # K
        self.means: NDArray[np.float64] = np.zeros((0, 0))  # K x d
        self.scatter: NDArray[np.float64] = np.zeros((0, 0))  # within classes: d x d, or K x d x d
        self.rounding: float = float(np.finfo(np.float64).eps)  # relative, of the coarsest rows seen

    @classmethod
    def of(cls, X: Any, y: Any, second: Second = "pooled") -> Self:
        """The moments of one array of rows ``n x d`` with labels ``y``."""
        return cls(second).update(X, y)

    @property
    def dim(self) -> int:
        """The number of features, d."""
        return int(self.means.shape[1])

    @property
    def total(self) -> int:
        """The number of rows seen."""
        return int(self.counts.sum())

    @property
    def mean(self) -> NDArray[np.float64]:
        """The mean of all rows, d."""
        self._require_rows()
        return np.asarray(self.counts @ self.means / self.total)

    def within(self) -> NDArray[np.float64]:
        """The scatter within classes, pooled: ``sum of (x - c)(x - c)^T``, d x d."""
        self._require_rows()
        if self.second == "none":
            raise IsoglossError("these moments hold centroids only", remedy="gather them with Moments(second='pooled')")
        return self.scatter if self.second == "pooled" else np.asarray(self.scatter.sum(axis=0))

    def between(self) -> NDArray[np.float64]:
        """The scatter of the class means around the mean of all rows, each class by its rows, d x d."""
        offsets = (self.means - self.mean) * np.sqrt(self.counts)[:, None]
        return np.asarray(offsets.T @ offsets)

    def covariance(self) -> NDArray[np.float64]:
        """The covariance of all rows, whatever their class (divided by the number of rows), d x d."""
        return (self.within() + self.between()) / self.total

    def update(self, X: Any, y: Any) -> Self:
        """Take in rows ``n x d``; ``y`` is a label for each, or one label for all."""
        rows = as_matrix(X, check=False)
        labels, codes = _labels_of(y, rows.shape[0])
        counts, means, scatter = gather(rows, codes, len(labels), self.second)
        if not (np.isfinite(means).all() and np.isfinite(scatter).all()):
            refuse_nonfinite(rows)
            raise IsoglossError("the moments overflow", remedy="scale the rows down, or pass them as float64")
        self._open(labels, rows.shape[1])
        self.rounding = max(self.rounding, float(np.finfo(rows.dtype).eps))
        self._absorb(self._slots(labels), counts, means, scatter)
        return self

    def __add__(self, other: "Moments") -> "Moments":
        """One pass over both, to rounding."""
        if self.second != other.second:
            raise IsoglossError(f"cannot add moments of kind '{self.second}' and '{other.second}'")
        merged = Moments(self.second)
        merged.rounding = max(self.rounding, other.rounding)
        for part in (self, other):
            if part.classes:
                merged._open(part.classes, part.dim)
                merged._absorb(merged._slots(part.classes), part.counts, part.means, part.scatter)
        return merged

    def select(self, classes: Sequence[Label]) -> "Moments":
        """The moments of some classes only; needs scatter a class, or none at all."""
        if self.second == "pooled" and set(classes) != set(self.classes):
            raise IsoglossError(
                "pooled moments cannot be taken apart by class",
                remedy="gather them with Moments(second='class')",
            )
        unknown = [label for label in classes if label not in self.classes]
        if unknown:
            raise IsoglossError(f"no rows of class {unknown[0]!r}", remedy=f"known: {self.classes}")
        slots = [self.classes.index(label) for label in sorted(set(classes), key=_sort_key)]
        part = Moments(self.second)
        part.rounding = self.rounding
        part.classes = [self.classes[slot] for slot in slots]
        part.counts, part.means = self.counts[slots], self.means[slots]
        part.scatter = self.scatter[slots] if self.second == "class" else self.scatter
        return part

    def rescaled(self, count: int) -> "Moments":
        """The same means and covariances as if every class had ``count`` rows, so that added classes count alike."""
        if self.second == "pooled" and len(self.classes) > 1:
            raise IsoglossError("pooled moments cannot be rescaled by class", remedy="rescale each class before adding")
        self._require_rows()
        part = Moments(self.second)
        part.classes, part.means, part.rounding = list(self.classes), self.means.copy(), self.rounding
        part.counts = np.full_like(self.counts, count)
        factors = count / self.counts
        part.scatter = self.scatter * (factors[:, None, None] if self.second == "class" else factors[0])
        return part

    def save(self, path: str | Path) -> None:
        """Write to a safetensors file."""
        arrays = {"counts": self.counts, "means": self.means, "scatter": self.scatter}
        header = {"second": self.second, "classes": self.classes, "rounding": self.rounding}
        write_arrays(path, arrays, {"kind": "moments", **header})

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read what ``save`` wrote."""
        arrays, header = read_arrays(path, "moments")
        moments = cls(header["second"])
        moments.classes, moments.rounding = header["classes"], header["rounding"]
        moments.counts, moments.means = arrays["counts"], arrays["means"]
        moments.scatter = arrays["scatter"]
        return moments

    def _require_rows(self) -> None:
        if not self.classes:
            raise IsoglossError("these moments are empty", remedy="call update(X, y) first")

    def _slots(self, labels: Sequence[Label]) -> Indices:
        place = {label: slot for slot, label in enumerate(self.classes)}
        return np.array([place[label] for label in labels], np.intp)

    def _open(self, labels: Sequence[Label], dim: int) -> None:
        """Make room for new classes, in sorted order; refuse rows of another width."""
        if self.classes and dim != self.dim:
            raise IsoglossError(f"rows have {dim} features, those before had {self.dim}")
        ordered = sorted({*self.classes, *labels}, key=_sort_key)
        if ordered == self.classes:
            return
        place = {label: slot for slot, label in enumerate(ordered)}
        slots = [place[label] for label in self.classes]
        size = len(ordered)
        self.counts = _spread(self.counts, slots, np.zeros(size, np.int64))
        self.means = _spread(self.means, slots, np.zeros((size, dim)))
        if self.second == "class":
            self.scatter = _spread(self.scatter, slots, np.zeros((size, dim, dim)))
        elif self.second == "pooled" and not self.classes:
            self.scatter = np.zeros((dim, dim))
        self.classes = ordered

    def _absorb(self, slots: Indices, counts: NDArray[np.int64], means: Matrix, scatter: Matrix) -> None:
        """Join a part: ``W + W' + sum of n n' / (n + n') (c' - c)(c' - c)^T`` over its classes."""
        before = self.counts[slots]
        joint = np.maximum(before + counts, 1)
        offsets = means - self.means[slots]
        weights = before * counts / joint
        if self.second == "pooled":
            moved = weights > 0
            lever = offsets[moved] * np.sqrt(weights[moved])[:, None]
            self.scatter += scatter
            self.scatter += lever.T @ lever
        elif self.second == "class":
            for slot, part, offset, weight in zip(slots, scatter, offsets, weights, strict=True):
                self.scatter[slot] += part + weight * np.outer(offset, offset)
        self.means[slots] += offsets * (counts / joint)[:, None]
        self.counts[slots] += counts


def moments_of(X: Any, y: Any, second: Second = "pooled") -> Moments:
    """``X`` itself where it is ``Moments`` already, the moments of rows ``X`` with labels ``y`` otherwise."""
    return X if isinstance(X, Moments) else Moments.of(X, y, second)


def _labels_of(y: Any, n: int) -> tuple[list[Label], Indices]:
    if isinstance(y, Label):
        return [y], np.zeros(n, np.intp)
    return as_labels(y, n)


def _sort_key(label: Label) -> tuple[str, Label]:
    return type(label).__name__, label


def _spread(values: NDArray[Any], slots: list[int], into: NDArray[Any]) -> NDArray[Any]:
    if slots:
        into[slots] = values
    return into
