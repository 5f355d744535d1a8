"""One pass over labelled rows: counts, means and scatter within classes, at about the price of one ``X^T X``."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from isogloss.geometry.arrays import Indices, Matrix
from isogloss.geometry.threads import blas_threads, side_by_side

Second = Literal["pooled", "class", "none"]
Float64 = NDArray[np.float64]
SLAB = 8192  # rows at a time: a slab of 768 float32 features stays in a server's last-level cache
WORTH_SHARING = 8 * SLAB
SHIFT_ROWS = 256  # rows of a class whose mean is near enough to that of all


def gather(rows: Matrix, codes: Indices, classes: int, second: Second) -> tuple[NDArray[np.int64], Float64, Float64]:
    """Counts (K), means (K x d) and within-scatter (d x d, K x d x d or nothing) of rows whose class is
    ``codes``.

    Products run in the rows' own dtype: a class's rows are shifted to about zero first, so float32 loses
    nothing but the rounding of the rows themselves. Sums are float64, and what the shift left over is taken off
    at the end. NaN and overflow go through to the result without a warning.
    """
    counts = np.bincount(codes, minlength=classes).astype(np.int64)
    bounds = np.r_[0, np.cumsum(counts)]
    order = None if (codes[1:] >= codes[:-1]).all() else np.argsort(codes, kind="stable")
    with np.errstate(invalid="ignore", over="ignore"):
        shifts = _shifts(rows, bounds, order)
        sums, scatter = _sums_side_by_side(rows, bounds, order, shifts, second)
        rest = sums / counts[:, None]
        lever = rest * np.sqrt(counts)[:, None]
        if second == "pooled":
            scatter -= lever.T @ lever
        elif second == "class":
            scatter -= lever[:, :, None] * lever[:, None, :]
        return counts, shifts + rest, scatter


def _shifts(rows: Matrix, bounds: NDArray[np.int64], order: Indices | None) -> Matrix:
    """A point near the mean of each class, in the rows' dtype, K x d."""
    shifts = np.empty((len(bounds) - 1, rows.shape[1]), rows.dtype)
    for code, (start, end) in enumerate(pairwise(bounds.tolist())):
        part = slice(start, min(start + SHIFT_ROWS, end))
        shifts[code] = (rows[part] if order is None else rows[order[part]]).mean(axis=0, dtype=np.float64)
    return shifts


def _sums_side_by_side(
    rows: Matrix, bounds: NDArray[np.int64], order: Indices | None, shifts: Matrix, second: Second
) -> tuple[Float64, Float64]:
    """Sums of shifted rows by class (K x d) and of their products; many rows are shared out among threads."""
    n = len(rows)
    shares = blas_threads() if n >= WORTH_SHARING else 1
    edges = [n * share // shares for share in range(shares + 1)]

    def work(place: tuple[int, int]) -> tuple[Float64, Float64]:
        with np.errstate(invalid="ignore", over="ignore"):
            return _sums(rows, bounds, order, shifts, second, *place)

    first, *others = side_by_side(work, pairwise(edges), threads=shares)
    for sums, scatter in others:
        first[0][...] += sums
        first[1][...] += scatter
    return first


def _sums(
    rows: Matrix,
    bounds: NDArray[np.int64],
    order: Indices | None,
    shifts: Matrix,
    second: Second,
    begin: int,
    end: int,
) -> tuple[Float64, Float64]:
    """The same for rows ``begin`` to ``end`` in the order of classes, a slab at a time in one buffer."""
    dim, classes = rows.shape[1], len(shifts)
    sums = np.zeros((classes, dim))
    scatter = np.zeros({"pooled": (dim, dim), "class": (classes, dim, dim), "none": (0, 0)}[second])
    buffer = np.empty((min(SLAB, end - begin), dim), rows.dtype)
    for start in range(begin, end, SLAB):
        stop = min(start + SLAB, end)
        slab, source = buffer[: stop - start], rows[start:stop]
        if order is not None:
            source = np.take(rows, order[start:stop], axis=0, out=slab, mode="clip")
        for code, part in _segments(bounds, start, stop):
            np.subtract(source[part], shifts[code], out=slab[part])
            sums[code] += slab[part].sum(axis=0)
            if second == "class":
                scatter[code] += slab[part].T @ slab[part]
        if second == "pooled":
            scatter += slab.T @ slab
    return sums, scatter


def _segments(bounds: NDArray[np.int64], start: int, stop: int) -> Iterator[tuple[int, slice]]:
    """The classes that lie in rows ``start`` to ``stop``, each with its place among them."""
    code = int(np.searchsorted(bounds, start, side="right")) - 1
    while code + 1 < len(bounds) and bounds[code] < stop:
        yield code, slice(max(int(bounds[code]), start) - start, min(int(bounds[code + 1]), stop) - start)
        code += 1
