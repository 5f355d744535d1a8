"""HSIC under resampling of rows: a bootstrap sample is a vector of weights on the kernel matrices."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from isogloss.geometry.hsic import Linear, kernel_blocks

Float64 = NDArray[np.float64]


def resample_hsic(kernels: Sequence[Linear], unbiased: bool, resamples: int, random_state: int) -> Float64:
    """HSIC of all pairs in each bootstrap sample of rows, B x S x S.

    With w_i the times row i was drawn: ``w^T (K * L) w``, ``sum of w_i (K w)_i (L w)_i`` and ``w^T K w`` stand
    for the sums of ``KernelSums``. The unbiased form leaves out pairs of a row with itself, also where it was
    drawn twice.
    """
    n, size = len(kernels[0]), len(kernels)
    rng = np.random.default_rng(random_state)
    weights = rng.multinomial(n, np.full(n, 1 / n), size=resamples).T.astype(np.float64)  # n x B
    inner = np.zeros((resamples, size, size))
    rows = np.zeros((size, n, resamples))  # K w
    for part, other, block in kernel_blocks(kernels):
        if unbiased:
            np.einsum("sii->si", block[:, :, : block.shape[1]])[:] = 0
        _add_band(inner, rows, weights, part, other, block)
    cross = np.einsum("nb,snb,tnb->bst", weights, rows, rows, optimize=True)
    totals = np.einsum("nb,snb->bs", weights, rows)
    products = totals[:, :, None] * totals[:, None, :]
    if unbiased:
        return np.asarray(inner + products / ((n - 1) * (n - 2)) - 2 / (n - 2) * cross) / (n * (n - 3))
    return np.asarray(inner - 2 / n * cross + products / n**2)


def _add_band(
    inner: Float64, rows: Float64, weights: Float64, part: slice, other: slice, block: NDArray[np.floating]
) -> None:
    """Add a band of the upper triangle to ``w^T (K * L) w`` (B x S x S) and to ``K w`` (S x n x B)."""
    height = block.shape[1]
    across = weights[other].astype(block.dtype)
    doubled = across.copy()
    doubled[height:] *= 2  # each entry beyond the square stands for its mirror image too
    for i, first in enumerate(block):
        rows[i, part] += first @ across
        rows[i, other.start + height :] += first[:, height:].T @ across[:height]
        for j in range(i, len(block)):
            term = np.einsum("nb,nb->b", weights[part], (first * block[j]) @ doubled)
            inner[:, i, j] += term
            if i != j:
                inner[:, j, i] += term
