"""Maximum spanning trees with exactly one root, for whole batches."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from ufal.chu_liu_edmonds import chu_liu_edmonds

Heads = NDArray[np.int64]
_HOPELESS = -1e6  # stands for minus infinity, so that sums of scores stay finite and exact enough


def decode_trees(scores: NDArray[np.float32], lengths: Sequence[int]) -> list[Heads]:
    """The best tree of each sentence; ``scores`` (sentences x words x 1 + words) rate head j, 0 the root, of each word.

    Where each word's best head already makes a tree with one root, that is the best tree; a trained parser's
    usually do, and the check is done for the batch at once. The others go through Chu-Liu-Edmonds.
    """
    sizes = np.asarray(lengths)
    greedy = best_heads(scores, sizes)
    settled = are_trees(greedy, sizes)
    return [
        greedy[row, :size] if settled[row] else spanning_tree(scores[row, :size, : size + 1])
        for row, size in enumerate(sizes)
    ]


def best_heads(scores: NDArray[np.float32], sizes: Heads) -> Heads:
    """Each word's best head by itself, never the word itself or padding (sentences x words)."""
    width = scores.shape[1]
    positions = np.arange(width + 1)
    blocked = (positions[None, None] > sizes[:, None, None]) | np.eye(width, width + 1, 1, dtype=bool)[None]
    return np.asarray(np.where(blocked, -np.inf, scores).argmax(axis=2), dtype=np.int64)


def are_trees(heads: Heads, sizes: Heads) -> NDArray[np.bool_]:
    """Which rows (sentences x words) are trees with exactly one root; words beyond a row's size do not count."""
    count, width = heads.shape
    real = np.arange(width)[None] < sizes[:, None]
    roots = ((heads == 0) & real).sum(axis=1)
    above = np.concatenate([np.zeros((count, 1), dtype=np.int64), np.where(real, heads, 0)], axis=1)
    for _ in range(max(1, width).bit_length()):  # after k rounds ``above`` looks 2^k steps up
        above = np.take_along_axis(above, above, axis=1)
    return np.asarray((roots == 1) & (above == 0).all(axis=1))


def spanning_tree(scores: NDArray[np.float32]) -> Heads:
    """The best tree with one root of one sentence (words x 1 + words).

    Making every edge from the root dearer by more than any two trees can differ leaves the order among
    trees of one root as it was and puts them before all others.
    """
    size = len(scores)
    table = np.zeros((size + 1, size + 1))
    table[1:] = np.maximum(scores, _HOPELESS)
    np.fill_diagonal(table, 0.0)
    table[1:, 0] -= 1.0 + size * (table.max() - table.min())
    heads, _ = chu_liu_edmonds(table)
    return np.asarray(heads[1:], dtype=np.int64)
