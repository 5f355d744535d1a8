"""Pearson's and Spearman's correlation with intervals, by Fisher's z or by bootstrap over rows."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from isogloss.errors import IsoglossError, unknown_name
from isogloss.probes.statistics.estimates import Estimate, Floats, finite, normal_quantile

Kind = Literal["fisher", "bootstrap"]


@dataclass(frozen=True)
class Correlation(Estimate):
    """A coefficient with its interval and the p-value of no correlation. NaN where a variable is constant."""

    p: float


def pearson(
    x: ArrayLike, y: ArrayLike, interval: Kind = "fisher", *, confidence: float = 0.95, random_state: int = 0
) -> Correlation:
    """Pearson's r of ``x`` and ``y`` (n). Fisher's interval is NaN for fewer than four rows."""
    first, second = _paired(x, y)
    return _correlation(first, second, interval, confidence, random_state, ranked=False)


def spearman(
    x: ArrayLike, y: ArrayLike, interval: Kind = "fisher", *, confidence: float = 0.95, random_state: int = 0
) -> Correlation:
    """Spearman's rho of ``x`` and ``y`` (n); Fisher's z with the variance of Bonett and Wright (2000)."""
    first, second = _paired(x, y)
    return _correlation(first, second, interval, confidence, random_state, ranked=True)


def _paired(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    first, second = finite(x, "x"), finite(y, "y")
    if len(first) != len(second):
        raise IsoglossError(f"x has {len(first)} rows and y has {len(second)}")
    return first, second


def _correlation(
    x: Floats, y: Floats, interval: str, confidence: float, random_state: int, *, ranked: bool
) -> Correlation:
    if interval not in ("fisher", "bootstrap"):
        raise unknown_name("interval", interval, ["fisher", "bootstrap"])
    n = len(x)
    if n < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Correlation(np.nan, np.nan, np.nan, n, np.nan)
    value, p = _rank_correlation(x, y) if ranked else _product_correlation(x, y)
    if interval == "fisher":
        low, high = _fisher(value, n, confidence, extra=0.5 if ranked else 0.0)
    else:
        low, high = _resampled(x, y, ranked, confidence, random_state)
    return Correlation(value, low, high, n, p)


def _product_correlation(x: Floats, y: Floats) -> tuple[float, float]:
    from scipy import stats  # here: opening it takes as long as drawing a study

    value, p = stats.pearsonr(x, y)
    return float(value), float(p)


def _rank_correlation(x: Floats, y: Floats) -> tuple[float, float]:
    """Spearman's rho, and its p-value by Student's t; without scipy.stats, for the same reason."""
    value = float(np.corrcoef(_ranks(x[None])[0], _ranks(y[None])[0])[1, 0])
    freedom = len(x) - 2
    with np.errstate(divide="ignore", invalid="ignore"):
        t = value * np.sqrt(np.maximum(np.float64(freedom) / ((value + 1.0) * (1.0 - value)), 0.0))
    return value, float(2 * special.stdtr(freedom, -abs(t)))


def _ranks(rows: Floats) -> Floats:
    """Ranks within each row from 1, ties sharing their mean."""
    import pandas as pd

    return pd.DataFrame(rows).rank(axis=1).to_numpy()


def _fisher(value: float, n: int, confidence: float, extra: float) -> tuple[float, float]:
    if n < 4:
        return np.nan, np.nan
    if abs(value) > 1 - 1e-12:
        return value, value
    half = normal_quantile(0.5 + confidence / 2) * np.sqrt((1 + extra * value**2) / (n - 3))
    centre = np.arctanh(value)
    return float(np.tanh(centre - half)), float(np.tanh(centre + half))


def _resampled(
    x: Floats, y: Floats, ranked: bool, confidence: float, random_state: int, resamples: int = 2000
) -> tuple[float, float]:
    """Percentile interval over rows drawn together; draws in which a variable is constant are left out."""
    rows = np.random.default_rng(random_state).integers(0, len(x), (resamples, len(x)))
    first, second = x[rows], y[rows]
    if ranked:
        first, second = _ranks(first), _ranks(second)
    first = first - first.mean(axis=1, keepdims=True)
    second = second - second.mean(axis=1, keepdims=True)
    scale = np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    draws = (first * second).sum(axis=1)[scale > 0] / scale[scale > 0]
    tail = (1 - confidence) / 2
    low, high = np.quantile(draws, [tail, 1 - tail])
    return float(low), float(high)
