"""Is one condition better than another? Paired permutation tests, and Holm's correction for many of them."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from isogloss.errors import IsoglossError, unknown_name
from isogloss.probes.statistics.estimates import Estimate, Floats, bootstrap_mean, finite, sums_by_group

Alternative = Literal["two-sided", "greater", "less"]
_BLOCK = 8_000_000  # signs held at a time


@dataclass(frozen=True)
class Comparison:
    """The mean difference ``a - b`` with its interval, the p-value, and whether all permutations were tried."""

    difference: Estimate
    p: float
    exact: bool


def paired_permutation(
    a: ArrayLike,
    b: ArrayLike,
    groups: ArrayLike | None = None,
    *,
    alternative: Alternative = "two-sided",
    permutations: int = 10_000,
    random_state: int = 0,
) -> Comparison:
    """Test whether ``a`` and ``b`` (n paired scores: same sentence, same seed) have the same mean.

    Under the null the two conditions may be swapped within a pair, so signs of differences are flipped at
    random; all ``2^n`` flips are tried when they are no more than ``permutations`` (then the p-value is exact).
    ``groups`` (n) names the unit that is swapped whole: the seed, or the sentence of a token.
    """
    if alternative not in ("two-sided", "greater", "less"):
        raise unknown_name("alternative", alternative, ["two-sided", "greater", "less"])
    first, second = finite(a, "a"), finite(b, "b")
    if len(first) != len(second):
        raise IsoglossError(f"{len(first)} scores against {len(second)}", remedy="pairs need both scores")
    gaps = first - second
    interval = bootstrap_mean(gaps, groups, random_state=random_state)
    units = gaps if groups is None else sums_by_group(gaps, groups)[0]
    exact = len(units) <= 62 and 2 ** len(units) <= permutations
    sums = _all_flips(units) if exact else _random_flips(units, permutations, random_state)
    reached = _as_extreme(sums, float(units.sum()), alternative, slack=1e-9 * float(np.abs(units).sum()))
    # The observed assignment counts as one of the random ones: p is never zero (Phipson and Smyth 2010).
    p = reached / len(sums) if exact else (reached + 1) / (len(sums) + 1)
    return Comparison(interval, float(p), exact)


def p_of_interval(found: Estimate) -> float:
    """Two-sided, from a 95% interval: how far zero lies from the value, in units of the half-width on that side.

    Intervals over sentences are those of large samples; all others have Student's quantiles, one unit fewer than n.
    """
    freedom = np.inf if found.over == "sentences" else found.n - 1
    half = found.value - found.low if found.value > 0 else found.high - found.value
    if not np.isfinite(half):
        return np.nan
    if half == 0:
        return 1.0 if found.value == 0 else 0.0
    return float(2 * special.stdtr(freedom, -abs(found.value) / half * special.stdtrit(freedom, 0.975)))


def p_of_intervals(one: tuple[float, float, float], two: tuple[float, float, float]) -> float:
    """A two-sided p for two estimates (value, low, high) that are not paired, from their 95% intervals."""
    wide = special.ndtri(0.975)
    error = float(np.hypot(*((high - low) / (2 * wide) for _, low, high in (one, two))))
    gap = one[0] - two[0]
    if not np.isfinite(error) or not np.isfinite(gap):
        return float("nan")
    if error == 0:
        return 1.0 if gap == 0 else 0.0
    return float(2 * special.ndtr(-abs(gap) / error))


def holm(p_values: ArrayLike) -> Floats:
    """Holm's step-down adjustment: p-values (m) that control the chance of any false finding among all m."""
    p = finite(p_values, "p_values")
    outside = np.flatnonzero((p < 0) | (p > 1))
    if len(outside):
        raise IsoglossError("a p-value is not between 0 and 1", where=f"row {outside[0]}")
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


def _as_extreme(sums: Floats, observed: float, alternative: str, slack: float) -> int:
    """How many permuted sums are at least as extreme; ``slack`` forgives rounding among ties."""
    if alternative == "greater":
        return int((sums >= observed - slack).sum())
    if alternative == "less":
        return int((sums <= observed + slack).sum())
    return int((np.abs(sums) >= abs(observed) - slack).sum())


def _all_flips(units: Floats) -> Floats:
    """The sums under all ``2^n`` sign patterns, doubled up one unit at a time."""
    sums = np.zeros(1)
    for unit in units:
        sums = np.concatenate([sums + unit, sums - unit])
    return sums


def _random_flips(units: Floats, permutations: int, random_state: int) -> Floats:
    rng = np.random.default_rng(random_state)
    size = max(1, _BLOCK // len(units))
    blocks = [
        rng.integers(0, 2, (min(size, permutations - start), len(units)), dtype=np.int8) @ (2 * units)
        for start in range(0, permutations, size)
    ]
    return np.asarray(np.concatenate(blocks) - units.sum(), dtype=np.float64)
