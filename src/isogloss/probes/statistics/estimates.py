"""A number with its interval: bootstrap over sentences, spread over seeds and items, Wilson's for shares."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from isogloss.errors import IsoglossError, unknown_name

Floats = NDArray[np.float64]
Interval = Literal["percentile", "bca"]
_BLOCK = 4_000_000  # indices drawn at a time: bounds the memory of a bootstrap at about 64 MB


@dataclass(frozen=True)
class Estimate:
    """A value, the ends of its confidence interval (95% unless said), and what the interval rests on.

    ``over`` names the units that the interval generalises over (languages, sentences, seeds), in the plural, and ``n``
    counts these units, not the rows of a table. It is empty where nobody has said it.
    """

    value: float
    low: float
    high: float
    n: int
    over: str = field(default="", kw_only=True)

    def __str__(self) -> str:
        units = f" {self.over}" if self.over else ""
        if np.isnan(self.low):
            return f"{self.value:.3f} (n = {self.n:,}{units}, no interval)"
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}] (n = {self.n:,}{units})"

    def columns(self) -> tuple[float, float, float, int]:
        """Value, low, high and n: the columns that show an estimate in a table."""
        return self.value, self.low, self.high, self.n


def wilson(successes: float, n: int, confidence: float = 0.95) -> Estimate:
    """Wilson's score interval for a proportion; sound for few trials and near 0 or 1, unlike a bootstrap."""
    if not 0 <= successes <= n:
        raise IsoglossError(f"{successes} successes in {n} trials", remedy="0 <= successes <= n")
    if n == 0:
        return Estimate(np.nan, 0.0, 1.0, 0)
    share, z = successes / n, normal_quantile(0.5 + confidence / 2)
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low = 0.0 if successes == 0 else float(centre - half)
    high = 1.0 if successes == n else float(centre + half)
    return Estimate(float(share), low, high, n)


def share_difference(first: Estimate, second: Estimate) -> Estimate:
    """First share minus second, from their Wilson intervals (Newcombe 1998, method 10): as if of different trials.

    Where both are of the same trials, which mostly succeed together, the interval is wider than it need be.
    """
    difference = float(first.value - second.value)
    down = np.hypot(first.value - first.low, second.high - second.value)
    up = np.hypot(first.high - first.value, second.value - second.low)
    ends, over = (float(difference - down), float(difference + up)), first.over if first.over == second.over else ""
    return Estimate(difference, *ends, min(first.n, second.n), over=over)


def bootstrap_mean(
    values: ArrayLike,
    groups: ArrayLike | None = None,
    *,
    confidence: float = 0.95,
    resamples: int = 2000,
    interval: Interval = "percentile",
    random_state: int = 0,
) -> Estimate:
    """The mean of ``values`` (n) with a bootstrap interval over its rows.

    ``groups`` (n) names the unit drawn: with the sentence of each token, whole sentences are drawn, since the tokens
    of one sentence are not independent. The n reported is the number of units drawn. A single unit has no interval
    (NaN): nothing is known of its spread.
    """
    numbers = finite(values, "values")
    sums, counts = (numbers, np.ones_like(numbers)) if groups is None else sums_by_group(numbers, groups)
    return _bootstrap_ratio(sums, counts, confidence, resamples, interval, random_state)


def bootstrap_ratio(
    numerators: ArrayLike,
    denominators: ArrayLike,
    *,
    confidence: float = 0.95,
    resamples: int = 2000,
    interval: Interval = "percentile",
    random_state: int = 0,
) -> Estimate:
    """``sum(numerators) / sum(denominators)`` with an interval over rows: token accuracy over sentences, or
    micro F1 as ``2 tp / (2 tp + fp + fn)`` with one row per sentence."""
    above, below = finite(numerators, "numerators"), finite(denominators, "denominators")
    if len(above) != len(below):
        raise IsoglossError(f"{len(above)} numerators but {len(below)} denominators")
    return _bootstrap_ratio(above, below, confidence, resamples, interval, random_state)


def bootstrap(
    statistic: Callable[[NDArray[np.intp]], float],
    n: int,
    *,
    confidence: float = 0.95,
    resamples: int = 1000,
    random_state: int = 0,
) -> Estimate:
    """Any statistic of ``n`` rows with a percentile interval; ``statistic`` gets the indices of the rows drawn.

    Aligned arrays are drawn together, and nothing is copied that the statistic does not copy itself.
    """
    if n < 1:
        raise IsoglossError("a bootstrap needs at least one row")
    rng = np.random.default_rng(random_state)
    value = float(statistic(np.arange(n)))
    if n == 1:
        return Estimate(value, np.nan, np.nan, n)
    draws = np.array([statistic(rng.integers(0, n, n)) for _ in range(resamples)])
    tail = (1 - confidence) / 2
    low, high = np.nanquantile(draws, [tail, 1 - tail])
    return Estimate(value, float(low), float(high), n)


def over_seeds(
    scores: ArrayLike,
    *,
    items: Literal["random", "fixed"] = "random",
    named: str = "items",
    confidence: float = 0.95,
    limits: tuple[float, float] = (-np.inf, np.inf),
) -> Estimate:
    """The mean of ``scores`` (seeds, or seeds x items), seeds being a random effect, and items unless fixed.

    Two-way analysis of variance: ``var(mean) = (MS_seed + MS_item - MS_rest) / (seeds * items)``, with
    Satterthwaite's degrees of freedom, so that five seeds count as five and not as five times the test set.
    ``items="fixed"`` speaks of exactly these items (these languages), ``random`` of others like them
    (sentences); ``named`` is what items are called. With one seed the spread over seeds is unknown, and the interval is
    over items alone. ``n`` counts seeds, or items where the interval is over these; the fewer of the two where it is
    over both. ``limits`` are what a score can be (0 and 1 for accuracy): the interval ends there.
    """
    table = finite(scores, "scores", dims=2)
    if items not in ("fixed", "random"):
        raise unknown_name("kind of items", items, ["fixed", "random"])
    seeds, count = table.shape
    if items == "fixed" or count == 1:
        low, high = _t_interval(table.mean(axis=1), confidence)
        n, over = seeds, "seeds"
    elif seeds == 1:
        low, high = _t_interval(table[0], confidence)
        n, over = count, named
    else:
        low, high = _two_way(table, confidence)
        n, over = min(seeds, count), f"seeds and {named}"
    low, high = np.clip([low, high], *limits)
    return Estimate(float(table.mean()), float(low), float(high), n, over=over)


def _two_way(table: Floats, confidence: float) -> tuple[float, float]:
    """The interval of the mean of seeds x items, both random, at least two of each."""
    seeds, count = table.shape
    grand, by_seed, by_item = table.mean(), table.mean(axis=1), table.mean(axis=0)
    rest = table - by_seed[:, None] - by_item + grand
    freedom = np.array([seeds - 1, count - 1, (seeds - 1) * (count - 1)])
    squares = np.array(
        [count * ((by_seed - grand) ** 2).sum(), seeds * ((by_item - grand) ** 2).sum(), (rest**2).sum()]
    )
    means = squares / freedom
    # The difference can be negative by chance; the larger of the two one-way variances bounds it from below.
    spread = max(means[0] + means[1] - means[2], means[0], means[1])
    if spread == 0:
        return float(grand), float(grand)
    effective = max(spread**2 / (means**2 / freedom).sum(), float(min(freedom[:2])))
    half = special.stdtrit(effective, 0.5 + confidence / 2) * np.sqrt(spread / table.size)
    return float(grand - half), float(grand + half)


def sums_by_group(values: Floats, groups: ArrayLike) -> tuple[Floats, Floats]:
    """The sum of ``values`` (n) in each group and how many there are, groups in sorted order."""
    _, unit = np.unique(np.asarray(groups), return_inverse=True)
    if unit.shape != values.shape:
        raise IsoglossError(f"{len(values)} values but {len(unit)} groups", remedy="give one group per value")
    sums = np.bincount(unit, weights=values)
    return sums.astype(np.float64), np.bincount(unit).astype(np.float64)


def finite(values: ArrayLike, name: str, dims: int = 1) -> Floats:
    """``values`` as floats; empty, misshapen or not-finite input is refused with its row named."""
    numbers = np.asarray(values, dtype=np.float64)
    if dims == 2 and numbers.ndim == 1:
        numbers = numbers[:, None]
    if numbers.ndim != dims or numbers.size == 0:
        raise IsoglossError(f"{name} has shape {numbers.shape}", remedy=f"give {dims} axes, none empty")
    bad = np.flatnonzero(~np.isfinite(numbers.reshape(len(numbers), -1)).all(axis=1))
    if len(bad):
        raise IsoglossError(f"{name} holds a value that is not a finite number", where=f"row {bad[0]}")
    return numbers


def normal_quantile(share: float) -> float:
    """The standard normal's quantile function."""
    return float(special.ndtri(share))


def _t_interval(values: Floats, confidence: float) -> tuple[float, float]:
    """Student's interval of the mean; none for a single value."""
    if len(values) == 1:
        return np.nan, np.nan
    mean = float(values.mean())
    half = special.stdtrit(len(values) - 1, 0.5 + confidence / 2) * values.std(ddof=1) / np.sqrt(len(values))
    return float(mean - half), float(mean + half)


def _bootstrap_ratio(
    above: Floats, below: Floats, confidence: float, resamples: int, interval: str, random_state: int
) -> Estimate:
    if interval not in ("percentile", "bca"):
        raise unknown_name("interval", interval, ["percentile", "bca"])
    if below.sum() == 0:
        raise IsoglossError("the denominators sum to zero")
    value = float(above.sum() / below.sum())
    if len(above) == 1:
        return Estimate(value, np.nan, np.nan, 1)
    rng = np.random.default_rng(random_state)
    draws = np.concatenate([a / b for a, b in _resampled_sums(above, below, resamples, rng)])
    tails = np.array([(1 - confidence) / 2, (1 + confidence) / 2])
    if interval == "bca":
        tails = _bca_tails(tails, draws, value, above, below)
    low, high = np.nanquantile(draws, tails)
    return Estimate(value, float(low), float(high), len(above))


def _resampled_sums(
    above: Floats, below: Floats, resamples: int, rng: np.random.Generator
) -> Iterator[tuple[Floats, Floats]]:
    """Sums of both over ``len(above)`` rows drawn with replacement, ``resamples`` times, in blocks."""
    n = len(above)
    if len(np.unique(above)) * len(np.unique(below)) <= 64:
        # Few distinct rows (0 and 1 for accuracy): drawing how often each comes is the same law.
        kinds, counts = np.unique(np.stack([above, below]), axis=1, return_counts=True)
        drawn = rng.multinomial(n, counts / n, size=resamples)
        yield drawn @ kinds[0], drawn @ kinds[1]
        return
    constant = bool((below == below[0]).all())
    for start in range(0, resamples, max(1, _BLOCK // n)):
        size = min(max(1, _BLOCK // n), resamples - start)
        rows = rng.integers(0, n, (size, n))
        yield above[rows].sum(axis=1), np.full(size, n * below[0]) if constant else below[rows].sum(axis=1)


def _bca_tails(tails: Floats, draws: Floats, value: float, above: Floats, below: Floats) -> Floats:
    """Quantile levels corrected for bias and skew (Efron 1987); the plain ones where all draws are equal."""
    share = (np.mean(draws < value) + np.mean(draws <= value)) / 2
    left = below.sum() - below
    if not 0 < share < 1 or (left == 0).any():
        return tails
    jackknife = (above.sum() - above) / left
    gap = jackknife.mean() - jackknife
    scale = (gap**2).sum() ** 1.5
    if scale == 0:
        return tails
    skew, bias = (gap**3).sum() / (6 * scale), normal_quantile(float(share))
    shifted = bias + special.ndtri(tails)
    return np.asarray(special.ndtr(bias + shifted / (1 - skew * shifted)), dtype=np.float64)
