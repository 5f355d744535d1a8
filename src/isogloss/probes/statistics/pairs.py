"""Means over pairs of languages: pairs share languages and sentences, so they are not observations of their own.

Two intervals answer two questions. Over languages: what of other languages like these? Over sentences: what of other
sentences in these languages?
"""

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from isogloss.errors import IsoglossError
from isogloss.probes.statistics.estimates import Estimate, Floats, bootstrap_ratio

WHOLE_LINE = (-np.inf, np.inf)


def over_pairs(
    values: ArrayLike,
    units: str = "languages",
    *,
    confidence: float = 0.95,
    limits: tuple[float, float] = WHOLE_LINE,
) -> Estimate:
    """The mean of ``values`` (K x K, source x target, NaN on the diagonal), with an interval over the K languages.

    Each value is a mean, an effect of its source, an effect of its target and a remainder, all random. The two
    directions of a pair are averaged, which leaves the round robin of ``mean + c_i + c_j + e_ij`` (Griffing 1956,
    method 4; Warner, Kenny and Stoto 1979), whose two mean squares give the variance of the mean; its quantiles are
    Student's with K - 1 degrees of freedom. Where only one direction was measured, that one serves. Where a pair is
    missing altogether, the variance is that of the jackknife over languages, which errs on the wide side.

    ``n`` is K. With two languages there is no interval. ``limits`` are what a value can be (0 and 1 for a share).
    """
    mean, variance, count = _mean_and_variance(_square(values))
    half = special.stdtrit(count - 1, 0.5 + confidence / 2) * np.sqrt(variance)
    low, high = np.clip([mean - half, mean + half], *limits)
    return Estimate(mean, float(low), float(high), count, over=units)


def over_seeds_and_pairs(
    values: ArrayLike,
    pairs: Sequence[tuple[Hashable, Hashable]],
    *,
    confidence: float = 0.95,
    limits: tuple[float, float] = WHOLE_LINE,
) -> Estimate:
    """The mean of ``values`` (seeds x pairs; NaN where a seed did not measure a pair), over seeds and languages.

    The variance is that of the mean over languages (``over_pairs`` of the means over seeds) and that of the mean over
    seeds; what is left of both stands in both, so the interval errs on the wide side. Degrees of freedom are
    Satterthwaite's. With one seed the interval is over languages; with two languages, or where all pairs share one, it
    is over seeds. ``n`` is the number of what it is over, the fewer where it is over both.
    """
    table = np.array(values, dtype=np.float64, ndmin=2)
    if table.ndim != 2 or table.shape[1] != len(pairs) or np.isnan(table).all(axis=1).any():
        raise IsoglossError(f"values have shape {table.shape}, for {len(pairs)} pairs", remedy="give seeds x pairs")
    used = np.flatnonzero(np.isfinite(table).any(axis=0)).tolist()
    places: dict[Hashable, int] = {}
    for place in used:
        for name in pairs[place]:
            places.setdefault(name, len(places))
    rows, columns = ([places[pairs[place][side]] for place in used] for side in (0, 1))
    square = np.full((len(places), len(places)), np.nan)
    square[rows, columns] = np.nanmean(table[:, used], axis=0)
    mean, of_languages, count = _mean_and_variance(_square(square))
    by_seed = np.nanmean(table, axis=1)
    seeds = len(by_seed)
    parts = {"seeds": (float(by_seed.var(ddof=1)) / seeds if seeds > 1 else np.nan, seeds)}
    parts |= {"languages": (of_languages, count)}
    known = {name: part for name, part in parts.items() if np.isfinite(part[0])} or {"seeds": parts["seeds"]}
    variance = sum(part for part, _ in known.values())
    weights = sum(part**2 / max(1, n - 1) for part, n in known.values())
    n = min(n for _, n in known.values())
    half = special.stdtrit(variance**2 / weights if weights else n, 0.5 + confidence / 2) * np.sqrt(variance)
    low, high = np.clip([mean - half, mean + half], *limits)
    return Estimate(mean, float(low), float(high), n, over=" and ".join(known))


def over_sentences(values: ArrayLike, *, confidence: float = 0.95, random_state: int = 0) -> Estimate:
    """The mean of ``values`` (pairs x sentences, or K x K x sentences; NaN where there is none), over sentences.

    A sentence is drawn for all pairs together, since its translations are hard or easy together. Each pair weighs by
    the sentences it has. ``n`` is the number of sentences.
    """
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim < 2 or numbers.size == 0:
        raise IsoglossError(f"values have shape {numbers.shape}", remedy="give pairs x sentences, none empty")
    by_sentence = numbers.reshape(-1, numbers.shape[-1])
    known = np.isfinite(by_sentence)
    sums, counts = np.where(known, by_sentence, 0.0).sum(axis=0), known.sum(axis=0)
    used = counts > 0
    if not used.any():
        raise IsoglossError("no pair has a value", remedy="give at least one finite value")
    found = bootstrap_ratio(sums[used], counts[used], confidence=confidence, random_state=random_state)
    if found.n == 1:
        return Estimate(found.value, np.nan, np.nan, 1, over="sentences")
    return Estimate(found.value, found.low, found.high, found.n, over="sentences")


def _square(values: ArrayLike) -> Floats:
    table = np.array(values, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or len(table) < 2:
        raise IsoglossError(f"values have shape {table.shape}", remedy="give K x K, at least two languages")
    if np.isinf(table).any():
        raise IsoglossError("values hold an infinite number", where=f"row {np.argwhere(np.isinf(table))[0][0]}")
    np.fill_diagonal(table, np.nan)
    if np.isnan(table).all():
        raise IsoglossError("no pair of two languages has a value")
    return table


def _mean_and_variance(table: Floats) -> tuple[float, float, int]:
    """The mean of a K x K table, the variance of it over languages (NaN where it is not known), and K."""
    count = len(table)
    both = np.stack([table, table.T])
    measured = np.isfinite(both)
    # Both directions weigh the same: a mean over directions first, then over pairs.
    pairs = np.where(measured, both, 0.0).sum(axis=0) / np.where(measured.any(axis=0), measured.sum(axis=0), np.nan)
    upper = pairs[np.triu_indices(count, 1)]
    mean = float(np.nanmean(upper))
    if count < 3:
        return mean, np.nan, count
    return mean, _round_robin(pairs) if np.isfinite(upper).all() else _jackknife(pairs), count


def _round_robin(pairs: Floats) -> float:
    """The variance of the mean of the symmetric table (K x K, NaN on the diagonal)."""
    count = len(pairs)
    mean, by_language = np.nanmean(pairs), np.nanmean(pairs, axis=1)
    effects = (count - 1) / (count - 2) * (by_language - mean)
    rest = pairs - mean - effects[:, None] - effects
    # E[between] = var(e) + (K - 2) var(c); E[within] = var(e)
    between = (count - 2) * float((effects**2).sum()) / (count - 1)
    spare = count * (count - 3) // 2
    within = float(np.nansum(rest**2)) / 2 / spare if spare else 0.0
    of_language = max(0.0, (between - within) / (count - 2))
    return 4 * of_language / count + 2 * within / (count * (count - 1))


def _jackknife(pairs: Floats) -> float:
    """The same with pairs missing: languages are left out one at a time."""
    count, known = len(pairs), np.isfinite(pairs)
    filled = np.where(known, pairs, 0.0)
    sums, counts = filled.sum() - 2 * filled.sum(axis=1), known.sum() - 2 * known.sum(axis=1)
    if (counts <= 0).any():
        return np.nan  # all pairs share one language: how others would do is not known
    means = sums / counts
    return (count - 1) / count * float(((means - means.mean()) ** 2).sum())
