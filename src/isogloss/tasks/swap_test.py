"""Is one system better than another on the same sentences? Counts change sides at random (Noreen 1989)."""

from collections.abc import Sequence
from functools import reduce
from operator import add

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.tasks.tallies import Floats, Tally

_BLOCK = 4_000_000  # signs held at a time


def swap_test(
    ones: Sequence[Tally],
    others: Sequence[Tally],
    measure: str | None = None,
    *,
    permutations: int = 2_000,
    random_state: int = 0,
) -> float:
    """The two-sided p-value of a difference in ``measure`` between two systems, given their tallies, one per seed.

    A sentence is the unit that changes sides, with its counts of all seeds: what is recounted is the measure itself,
    so this serves F1 as well as accuracy.
    """
    if not ones or len(ones) != len(others) or len({len(tally) for tally in (*ones, *others)}) != 1:
        raise IsoglossError("both systems must be tallied on the same sentences and seeds", where="paired test")
    joined = reduce(add, (*ones, *others))  # one set of columns for all
    counts = joined.counts.reshape(2, len(ones), len(ones[0]), -1).sum(axis=1, dtype=np.float64)  # 2 x sentences x c
    name = measure or joined.measures[0]
    total, gaps = counts.sum(axis=(0, 1)), counts[0] - counts[1]

    def differences(swapped: Floats) -> Floats:
        """Absolute differences of the measure from sums of gaps (... x c)."""
        sides = [np.asarray(joined.ratios((total + sign * swapped) / 2)[name]) for sign in (1, -1)]
        return np.abs(np.nan_to_num(sides[0]) - np.nan_to_num(sides[1]))  # NaN: nothing to find and nothing found

    observed = float(differences(gaps.sum(axis=0)))
    moving = gaps[np.abs(gaps).sum(axis=1) > 0]  # sentences that both systems answer alike decide nothing
    if not len(moving):
        return 1.0
    rng = np.random.default_rng(random_state)
    size, reached = max(1, _BLOCK // len(moving)), 0
    for start in range(0, permutations, size):
        signs = 2.0 * rng.integers(0, 2, (min(size, permutations - start), len(moving))) - 1.0
        reached += int((differences(signs @ moving) >= observed - 1e-12).sum())
    return (reached + 1) / (permutations + 1)
