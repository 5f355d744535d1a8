"""One probe's question: which rows and columns of a shared array, and which labels."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isogloss.errors import IsoglossError
from isogloss.geometry.arrays import Indices

RESULTS = (
    "seed", "control", "dims", "classes", "n_train", "n_test", "accuracy", "macro_f1", "majority",
    "control_accuracy", "selectivity", "converged", "iterations", "gap", "gradient", "loss",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Problem:
    """Predict ``y`` from ``X``. Arrays are referred to, not copied: thousands of problems may share them.

    Problems with the same ``X`` and the same ``train`` are solved together; where their columns are nested
    (``[0:1]``, ``[0:10]``, ...) or equal (other labels) they share the dear part of the work.
    """

    X: Any  # N x d
    y: Any  # N labels
    train: Any  # row numbers, or a tuple of several arrays of them: what is computed of one is kept for the next
    test: Any  # row numbers
    columns: slice | Any | None = None  # a slice or column numbers; None for all
    weights: Any | None = None  # N; a row of weight zero is left out, of training and of test
    name: Mapping[str, Any] = field(default_factory=dict)  # columns of the resulting frame: pair, layer, ...
    seed: int = 0
    control: int | None = None  # seed of random labels that stand in for ``y``
    types: Any | None = None  # N; control labels are drawn once a type (the word), not once a row

    def __post_init__(self) -> None:
        clash = sorted(set(self.name) & set(RESULTS))
        if clash:
            raise IsoglossError(f"the name '{clash[0]}' is reserved for results", where="Problem.name")
        if np.ndim(self.X) != 2:
            raise IsoglossError(f"X has {np.ndim(self.X)} dimensions, two are needed: rows x features")
        if len(self.y) != len(self.X):
            raise IsoglossError(f"{len(self.y)} labels for {len(self.X)} rows", where=self.label())

    def as_control(self, seed: int) -> "Problem":
        """The same problem with random labels: what a probe memorises (Hewitt and Liang 2019)."""
        return replace(self, control=seed)

    def column_numbers(self) -> range | Indices:
        """The columns, in the order given."""
        width = np.shape(self.X)[1]
        if self.columns is None or isinstance(self.columns, slice):
            numbers = range(*(self.columns or slice(None)).indices(width))
            if not numbers:
                raise IsoglossError(f"no columns in {self.columns} of {width}", where=self.label())
            return numbers
        chosen = np.asarray(self.columns, dtype=np.intp)
        if chosen.ndim != 1 or not chosen.size or len(np.unique(chosen)) < chosen.size:
            raise IsoglossError("columns are empty, or one is named twice", where=self.label())
        if chosen.min() < 0 or chosen.max() >= width:
            raise IsoglossError(f"there is no column {chosen.max()} among {width}", where=self.label())
        return chosen

    def label(self) -> str:
        """For error messages."""
        return " ".join(f"{key}={value}" for key, value in self.name.items()) or "problem"


def join_rows(rows: Any, total: int) -> tuple[Indices, tuple[Indices, ...]]:
    """Row numbers, and the parts they came in."""
    if not isinstance(rows, tuple):
        whole = as_rows(rows, total)
        return whole, (whole,)
    parts = tuple(as_rows(part, total) for part in rows)
    return np.concatenate(parts), parts


def as_rows(rows: ArrayLike | slice, total: int) -> Indices:
    """Row numbers from numbers, a mask or a slice; those outside ``0 .. total - 1`` are refused."""
    if isinstance(rows, slice):
        return np.arange(*rows.indices(total), dtype=np.intp)
    numbers = np.asarray(rows)
    if numbers.dtype == bool:
        return np.flatnonzero(numbers)
    numbers = numbers.astype(np.intp, copy=False)
    if numbers.ndim != 1 or (numbers.size and (numbers.min() < 0 or numbers.max() >= total)):
        raise IsoglossError(f"row numbers must be between 0 and {total - 1}", where="train or test")
    return numbers


def control_codes(codes: NDArray[np.int64], seed: int, types: ArrayLike | None = None) -> NDArray[np.int64]:
    """Random labels with the frequencies of ``codes`` (n): shuffled over rows, or drawn once a type."""
    rng = np.random.default_rng(seed)
    if types is None:
        return rng.permutation(codes)
    _, kind = np.unique(np.asarray(types), return_inverse=True)
    drawn: NDArray[np.int64] = rng.choice(codes, size=int(kind.max(initial=-1)) + 1)[kind]
    return drawn
