"""Centred kernel alignment: how alike two sets of representations of the same rows are, up to rotation and scale."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import IsoglossError, unknown_name
from isogloss.geometry.arrays import Matrix, as_matrix
from isogloss.geometry.cross_moments import CrossMoments
from isogloss.geometry.hsic import KernelSums, Linear, Rbf, centre, gram_sums, linear_sums
from isogloss.geometry.resampling import resample_hsic

Float64 = NDArray[np.float64]
Kind = Literal["linear", "rbf", "unbiased", "rbf-unbiased"]
KINDS = ("linear", "rbf", "unbiased", "rbf-unbiased")
RESAMPLED_ROWS = 2000  # at most: a bootstrap of more takes minutes and says the same
TOLERABLE = 0.1  # value for unrelated rows above which the biased forms come with a warning


class SmallSampleWarning(UserWarning):
    """A number that the small number of rows made, rather than the data."""


@dataclass(frozen=True)
class CkaGrid:
    """CKA of all pairs of S sets (or L x S x S for layers).

    ``chance`` is what the same rows would give on average if they were paired at random; ``low`` and ``high``
    are there when intervals were asked for. NaN stands for a set without variance.
    """

    values: Float64
    chance: Float64
    n: int
    kind: str
    low: Float64 | None = None
    high: Float64 | None = None


def cka(X: Any, Y: Any = None, kind: Kind = "linear", bandwidth: float = 1.0) -> float:
    """CKA of aligned rows, ``n x d_x`` and ``n x d_y``, or of ``CrossMoments`` (linear only).

    ``linear`` is ``|X^T Y|^2 / (|X^T X| |Y^T Y|)`` of centred rows (Kornblith et al. 2019, Muller21); ``rbf``
    has a Gaussian kernel of ``bandwidth`` times the median distance. Both rise with d/n even for unrelated
    rows, and warn when that matters; ``unbiased`` and ``rbf-unbiased`` (debiased HSIC) are near zero there, at
    times just below.
    """
    if isinstance(X, CrossMoments):
        return _from_moments(X, kind)
    value = float(cka_grid([X, Y], kind=kind, bandwidth=bandwidth).values[0, 1])
    if np.isnan(value):
        raise IsoglossError("CKA is not defined: all rows of X, or of Y, are the same")
    return value


def cka_grid(
    sets: Sequence[Any],
    kind: Kind = "linear",
    bandwidth: float = 1.0,
    resamples: int = 0,
    level: float = 0.95,
    random_state: int = 0,
) -> CkaGrid:
    """CKA of all pairs of sets of aligned rows, each n x d (d may differ); one kernel pass serves all pairs.

    ``resamples`` > 0 adds bootstrap intervals over rows (sentences) at ``level``: the spread of the resampled
    values around their mean, set at the estimate, since resampled rows repeat and so shift the mean. Of more than
    ``RESAMPLED_ROWS`` rows a random part is resampled, and its spread scaled to all: time would grow as n^2.
    """
    rows = _aligned(sets, kind)
    sums = _sums(rows, kind, bandwidth)
    values, chance = _normalise(_hsic(sums, kind)), _chance(sums)
    if not kind.endswith("unbiased"):
        _warn_of_small_sample(chance, sums.n)
    if not resamples:
        return CkaGrid(values, chance, sums.n, kind)
    part, shrink = _resampled_part(rows, random_state)
    hsic = resample_hsic(_kernels(part, kind, bandwidth), kind.endswith("unbiased"), resamples, random_state)
    drawn = _normalise(hsic)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a set without variance is NaN in every draw
        spread = np.nanquantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0) - np.nanmean(drawn, axis=0)
    low, high = values + shrink * spread
    return CkaGrid(values, chance, sums.n, kind, low, np.minimum(high, 1.0))


def _resampled_part(rows: Sequence[Matrix], random_state: int) -> tuple[list[Matrix], float]:
    """The rows that are resampled, and by how much their spread is to shrink: as the root of the number of rows."""
    n = len(rows[0])
    if n <= RESAMPLED_ROWS:
        return list(rows), 1.0
    chosen = np.sort(np.random.default_rng(random_state).choice(n, RESAMPLED_ROWS, replace=False))
    return [one[chosen] for one in rows], float(np.sqrt(RESAMPLED_ROWS / n))


def cka_layers(states: Iterable[Sequence[Any]], kind: Kind = "linear", **settings: Any) -> CkaGrid:
    """CKA of all pairs of languages, layer by layer: states are L x K x n x d (an array, or any nesting of that
    shape).

    Gives L x K x K; ``settings`` are those of ``cka_grid``.
    """
    grids = [cka_grid(list(layer), kind=kind, **settings) for layer in states]
    if not grids:
        raise IsoglossError("no layers to compare")
    low = None if grids[0].low is None else np.stack([grid.low for grid in grids if grid.low is not None])
    high = None if grids[0].high is None else np.stack([grid.high for grid in grids if grid.high is not None])
    values, chance = (np.stack([getattr(grid, name) for grid in grids]) for name in ("values", "chance"))
    return CkaGrid(values, chance, grids[0].n, kind, low, high)


def _aligned(sets: Sequence[Any], kind: str) -> list[Matrix]:
    if kind not in KINDS:
        raise unknown_name("kind of CKA", kind, KINDS)
    rows = [as_matrix(one, f"set {i}", rows=4) for i, one in enumerate(sets)]
    sizes = {len(one) for one in rows}
    if len(sizes) != 1:
        raise IsoglossError(
            f"sets of {sorted(sizes)} rows",
            remedy="CKA compares the same sentences: row i of every set must be the same",
        )
    return rows


def _kernels(rows: Sequence[Matrix], kind: str, bandwidth: float) -> list[Linear]:
    if kind.startswith("rbf"):
        return [Rbf(one, bandwidth) for one in rows]
    return [Linear(centre(one)) for one in rows]


def _sums(rows: Sequence[Matrix], kind: str, bandwidth: float) -> KernelSums:
    if kind.startswith("rbf"):
        return gram_sums(_kernels(rows, kind, bandwidth))
    return linear_sums(rows)


def _hsic(sums: KernelSums, kind: str) -> Float64:
    return sums.unbiased() if kind.endswith("unbiased") else sums.biased()


def _normalise(hsic: Float64) -> Float64:
    """HSIC over the roots of its own diagonal, ... x S x S; NaN where the variance of a set is negligible."""
    own = np.einsum("...ii->...i", hsic)
    scale = np.sqrt(np.where(own > 0, own, np.nan))
    return np.asarray(hsic / scale[..., :, None] / scale[..., None, :])


def _chance(sums: KernelSums) -> Float64:
    """The mean of biased CKA over all ways to pair the rows: ``tr K tr L / ((n-1) |K| |L|)``, K and L centred."""
    own = np.diag(sums.biased())
    share = sums.traces() / np.sqrt(np.where(own > 0, own, np.nan) * (sums.n - 1))
    return np.outer(share, share)


def _warn_of_small_sample(chance: Float64, n: int) -> None:
    off = chance[~np.eye(len(chance), dtype=bool)]
    worst = np.nanmax(off) if np.isfinite(off).any() else 0.0
    if worst > TOLERABLE:
        warnings.warn(
            f"with {n} rows this CKA is about {worst:.2f} for unrelated rows too; use kind='unbiased' or more rows",
            SmallSampleWarning,
            stacklevel=3,
        )


def _from_moments(moments: CrossMoments, kind: str) -> float:
    if kind != "linear":
        raise IsoglossError(f"CKA of kind '{kind}' needs rows", remedy="pass arrays, or MinibatchCKA for a stream")
    xx, yy = np.linalg.norm(moments.xx), np.linalg.norm(moments.yy)
    if not xx or not yy:
        raise IsoglossError("CKA is not defined: all rows of X, or of Y, are the same")
    share = np.trace(moments.xx) * np.trace(moments.yy) / ((moments.count - 1) * xx * yy)
    _warn_of_small_sample(np.array([[1, share], [share, 1]]), moments.count)
    return float((moments.xy**2).sum() / (xx * yy))
