"""Unbiased CKA of streams: HSIC estimates of minibatches add up (Nguyen et al. 2021)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import IsoglossError
from isogloss.geometry.arrays import as_matrix
from isogloss.geometry.hsic import linear_sums


class MinibatchCKA:
    """Linear CKA of S sets from minibatches of aligned rows; memory does not grow with the stream.

    Each batch gives unbiased HSIC estimates, and CKA is the ratio of their means: so the result does not depend
    on the batch size but for noise. Two streams merge with ``+``.
    """

    def __init__(self) -> None:
        self.batches = 0
        self.hsic: NDArray[np.float64] = np.zeros((0, 0))

    def update(self, *sets: Any) -> "MinibatchCKA":
        """Take in a batch: the same rows (four at least) in each of the S spaces, n x d each."""
        rows = [as_matrix(one, f"set {i}", rows=4) for i, one in enumerate(sets)]
        if len({len(one) for one in rows}) != 1:
            raise IsoglossError(f"sets of {[len(one) for one in rows]} rows", remedy="all must hold the same rows")
        hsic = linear_sums(rows).unbiased()
        if self.batches and hsic.shape != self.hsic.shape:
            raise IsoglossError(f"{len(hsic)} sets in this batch, {len(self.hsic)} before")
        self.hsic = hsic + self.hsic if self.batches else hsic
        self.batches += 1
        return self

    def __add__(self, other: "MinibatchCKA") -> "MinibatchCKA":
        if not self.batches or not other.batches:
            return self if self.batches else other
        merged = MinibatchCKA()
        merged.batches, merged.hsic = self.batches + other.batches, self.hsic + other.hsic
        return merged

    def values(self) -> NDArray[np.float64]:
        """CKA of all pairs of sets, S x S; NaN for a set without variance."""
        if not self.batches:
            raise IsoglossError("no batches yet", remedy="call update(X, Y, ...) first")
        own = np.diag(self.hsic)
        scale = np.sqrt(np.where(own > 0, own, np.nan))
        return np.asarray(self.hsic / np.outer(scale, scale))
