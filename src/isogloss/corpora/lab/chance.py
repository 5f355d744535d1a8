"""Chance that is the same on every machine: named streams of integers, and draws by integer weights.

Only raw PCG64 output, which NumPy promises to keep, and integer arithmetic decide a draw. Weights are
computed in floating point once and rounded, so that the last bit of a machine's ``exp`` changes nothing.
"""

import hashlib
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]

TOTAL = 1 << 24  # the integer mass of every distribution: rounding moves a probability by 1e-7 at most


class Stream:
    """Random integers of one purpose. The same seed and names give the same numbers, whatever else was drawn."""

    def __init__(self, seed: int, *names: str | int) -> None:
        digest = hashlib.sha256("/".join(str(name) for name in (seed, *names)).encode()).digest()
        self._bits = np.random.PCG64(np.random.SeedSequence(int.from_bytes(digest, "big")))

    def below(self, bound: int, size: int) -> Ints:
        """``size`` integers from 0 to ``bound`` - 1; ``bound`` at most 2^31."""
        high = self._bits.random_raw(size) >> np.uint64(32)
        return ((high * np.uint64(bound)) >> np.uint64(32)).astype(np.int64)

    def one(self, bound: int) -> int:
        """One integer from 0 to ``bound`` - 1."""
        return int(self.below(bound, 1)[0])

    def coin(self, chance: float, size: int) -> NDArray[np.bool_]:
        """``size`` truth values, true with probability ``chance``."""
        return self.below(TOTAL, size) < round(chance * TOTAL)

    def order(self, size: int) -> Ints:
        """A permutation of 0 .. ``size`` - 1."""
        return np.argsort(self._bits.random_raw(size), kind="stable").astype(np.int64)

    def bell(self, *shape: int) -> Floats:
        """Numbers near a standard normal: the sum of twelve uniform ones less six, exact everywhere."""
        size = int(np.prod(shape))
        twelve = self.below(1 << 20, 12 * size).reshape(12, size)
        return np.asarray((twelve.sum(0) - 6 * (1 << 20)) / (1 << 20)).reshape(shape)


class Choice:
    """Draws from ``rows`` distributions over the same ``k`` outcomes, by integer weights.

    ``weights`` is rows x k (or k for a single row), not negative, each row with some mass.
    """

    def __init__(self, weights: Floats) -> None:
        rows = np.atleast_2d(np.asarray(weights, dtype=np.float64))
        share = np.cumsum(rows, axis=1) / rows.sum(axis=1, keepdims=True)
        bounds = np.rint(share * TOTAL).astype(np.int64)
        bounds[:, -1] = TOTAL
        self.outcomes = rows.shape[1]
        self._flat = (bounds + TOTAL * np.arange(len(rows), dtype=np.int64)[:, None]).ravel()

    def draw(self, stream: Stream, given: Ints) -> Ints:
        """One outcome for each entry of ``given``, the row to draw it from."""
        point = stream.below(TOTAL, len(given)) + TOTAL * given
        return np.asarray(np.searchsorted(self._flat, point, side="right") - given * self.outcomes)

    def draw_many(self, stream: Stream, size: int) -> Ints:
        """``size`` outcomes from the first row."""
        return self.draw(stream, np.zeros(size, dtype=np.int64))


def zipf(size: int, exponent: float) -> Floats:
    """Weights 1 / rank^exponent, the most frequent first."""
    return np.arange(1, size + 1, dtype=np.float64) ** -exponent
