"""Sums over kernel matrices from which every form of HSIC, and so of CKA, is read; the matrices are never held
whole.

For S sets of aligned rows with kernel matrices K_i (n x n) three sums suffice: ``inner`` (sum of K_i * K_j, S x
S), the row sums of each K_i (S x n) and its diagonal (S x n).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.geometry.arrays import Matrix

Float64 = NDArray[np.float64]
BLOCK_BYTES = 48 * 2**20  # of kernel values at a time, for all sets together
MEDIAN_ROWS = 4096  # rows that the median distance is read off where there are more
SLAB = 4096


@dataclass(frozen=True)
class KernelSums:
    """What is needed of S kernel matrices over the same n rows."""

    inner: Float64  # S x S
    rows: Float64  # S x n
    diagonal: Float64  # S x n

    @property
    def n(self) -> int:
        return int(self.rows.shape[1])

    def biased(self) -> Float64:
        """``tr(K H L H)`` for all pairs, S x S (the plain estimator, without its factor 1/(n-1)^2)."""
        totals = self.rows.sum(axis=1)
        return self.inner - 2 / self.n * (self.rows @ self.rows.T) + np.outer(totals, totals) / self.n**2

    def unbiased(self) -> Float64:
        """The unbiased estimator of Song et al. (2012) for all pairs, S x S; needs four rows."""
        n = self.n
        inner = self.inner - self.diagonal @ self.diagonal.T
        rows = self.rows - self.diagonal
        totals = rows.sum(axis=1)
        cross = np.outer(totals, totals) / ((n - 1) * (n - 2)) - 2 / (n - 2) * (rows @ rows.T)
        return np.asarray((inner + cross) / (n * (n - 3)))

    def traces(self) -> Float64:
        """Traces of the centred kernel matrices, S."""
        return np.asarray(self.diagonal.sum(axis=1) - self.rows.sum(axis=1) / self.n)


def linear_sums(sets: Sequence[Matrix]) -> KernelSums:
    """Sums of linear kernels of centred rows, by features or by Gram matrices, whichever needs fewer products."""
    n = len(sets[0])
    dims = np.array([rows.shape[1] for rows in sets])
    by_gram = n * n * (dims.sum() + len(sets) ** 2)  # half the matrix, as it is symmetric
    by_feature = n * (dims.sum() ** 2 + (dims**2).sum())
    centred = [centre(rows) for rows in sets]
    return gram_sums([Linear(rows) for rows in centred]) if by_gram <= by_feature else _feature_sums(centred)


def centre(rows: Matrix) -> Matrix:
    """Rows minus their mean, which is taken in float64."""
    return np.asarray(rows - rows.mean(axis=0, dtype=np.float64).astype(rows.dtype))


class Linear:
    """The kernel ``x . y``, a block at a time."""

    def __init__(self, rows: Matrix) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def block(self, part: slice, other: slice) -> Matrix:
        return np.asarray(self.rows[part] @ self.rows[other].T)


class Rbf(Linear):
    """The kernel ``exp(-|x-y|^2 / (2 s^2))`` with ``s = bandwidth * median distance``, as published scripts have it."""

    def __init__(self, rows: Matrix, bandwidth: float = 1.0) -> None:
        super().__init__(centre(rows).astype(np.float64))
        self.squares = np.einsum("ij,ij->i", self.rows, self.rows)
        step = -(-len(rows) // MEDIAN_ROWS)
        distances = self._distances(slice(None, None, step), slice(None, None, step))
        apart = distances[distances > 1e-12 * (self.squares.max() or 1.0)]
        self.scale = 2 * bandwidth**2 * (float(np.median(apart)) if apart.size else 1.0)

    def _distances(self, part: slice, other: slice) -> Matrix:
        squares = self.squares[part, None] + self.squares[other]
        return np.asarray(np.clip(squares - 2 * super().block(part, other), 0, None))

    def block(self, part: slice, other: slice) -> Matrix:
        return np.asarray(np.exp(self._distances(part, other) / -self.scale))


def kernel_blocks(kernels: Sequence[Linear]) -> Iterator[tuple[slice, slice, NDArray[Any]]]:
    """The upper triangle of all kernel matrices in bands: rows, columns from the band's first row on, S x both."""
    n = len(kernels[0])
    height = max(16, min(n, BLOCK_BYTES // (8 * len(kernels) * n)))
    for start in range(0, n, height):
        part, other = slice(start, min(start + height, n)), slice(start, n)
        yield part, other, np.stack([kernel.block(part, other) for kernel in kernels])


def gram_sums(kernels: Sequence[Linear]) -> KernelSums:
    """The sums over kernel matrices, in time n^2 (d + S) a set."""
    n, size = len(kernels[0]), len(kernels)
    inner, rows, diagonal = np.zeros((size, size)), np.zeros((size, n)), np.zeros((size, n))
    for part, other, block in kernel_blocks(kernels):
        band = block.astype(np.float64)
        height = band.shape[1]
        square = band[:, :, :height].reshape(size, -1)
        beyond = band[:, :, height:].reshape(size, -1)  # stands for the lower triangle too
        inner += square @ square.T + 2 * (beyond @ beyond.T)
        rows[:, part] += band.sum(axis=2)
        rows[:, other.start + height :] += band[:, :, height:].sum(axis=1)
        diagonal[:, part] = np.einsum("sii->si", band[:, :, :height])
    return KernelSums(inner, rows, diagonal)


def _feature_sums(sets: Sequence[Matrix]) -> KernelSums:
    """The same for linear kernels of centred rows, in time n d^2 a pair: ``sum of K * L = |X^T Y|^2``."""
    size, n = len(sets), len(sets[0])
    inner = np.zeros((size, size))
    for i, first in enumerate(sets):
        for j in range(i, size):
            cross = np.zeros((first.shape[1], sets[j].shape[1]))
            for start in range(0, n, SLAB):
                part = slice(start, start + SLAB)
                cross += first[part].T @ sets[j][part]
            inner[i, j] = inner[j, i] = (cross**2).sum()
    diagonal = np.stack([np.einsum("ij,ij->i", rows, rows, dtype=np.float64) for rows in sets])
    return KernelSums(inner, np.zeros((size, n)), diagonal)
