"""The hidden space turned so that language comes first, and which of its dimensions a probe sees."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import IsoglossError
from isogloss.geometry import LDA, DensRay, Moments
from isogloss.probes import ColumnSet, column_sets

Floats = NDArray[np.floating[Any]]
MOST = 0.95  # share of the variance between languages that "most of it" means


@dataclass(frozen=True, eq=False)
class Space:
    """All dimensions of a hidden space, the one that tells languages best first; those from ``rank`` on tell none."""

    method: str
    directions: NDArray[np.float64]  # d x d, a direction a row
    origin: NDArray[np.float64]  # d
    rank: int
    shares: NDArray[np.float64]  # of the variance between languages, by dimension

    @property
    def width(self) -> int:
        return len(self.directions)

    @property
    def most(self) -> int:
        """How many leading dimensions hold 95% of the variance between languages."""
        return int(np.searchsorted(np.cumsum(self.shares), MOST) + 1)

    def project(self, X: Floats, columns: Sequence[int] | None = None) -> NDArray[np.float32]:
        """Coordinates of rows (n x d) in all dimensions, or in some, n x columns."""
        chosen = self.directions if columns is None else self.directions[list(columns)]
        return np.asarray((X - self.origin) @ chosen.T, dtype=np.float32)


def fit_space(method: str, moments: Moments) -> Space:
    """The space that ``method`` (densray, lda) finds.

    LDA finds n-1 directions. They are completed with the directions that DensRay's objective leaves at zero, in
    which the means of all languages agree: exactly what is orthogonal to LDA's by the scatter within languages.
    """
    dense = DensRay(weighting="languages").fit(moments)
    if method == "densray":
        return Space(method, dense.components_, np.zeros(moments.dim), dense.rank_, dense.explained_share_)
    found = LDA().fit(moments)
    directions = np.vstack([found.components_, dense.components_[dense.rank_ :]])
    return Space(method, directions, found.mean_, found.rank_, found.explained_share_)


def fit_centroids(centroids: NDArray[np.float64], languages: Sequence[str]) -> Space:
    """DensRay's space of some languages, which needs no more than their centroids (n x d)."""
    found = DensRay().fit(centroids, list(languages))
    return Space("densray", found.components_, np.zeros(centroids.shape[1]), found.rank_, found.explained_share_)


def curve_sets(width: int, sizes: Sequence[int], draws: int, seed: int) -> list[ColumnSet]:
    """``[0:x]``, ``[x:2x]`` and x random dimensions beyond the first x (as in the released code), for Fig. 1."""
    fitting = [x for x in sizes if x <= width]
    sets = column_sets(width, fitting, ("first", "next"))
    for x in fitting:
        if 2 * x <= width:
            sets += draw_sets("random", x, x, width, draws, seed)
    return sets


def window_sets(width: int, window: int, count: int, bound: int, draws: int, seed: int) -> list[ColumnSet]:
    """Windows one after the other, and random dimensions beyond the bound on the rank, for Figs. 2 and 5."""
    ends = [end for end in range(window, window * count + 1, window) if end <= width]
    return [*column_sets(width, ends, ("window",), window=window), *rest_sets(width, window, bound, draws, seed)]


def rest_sets(width: int, size: int, bound: int, draws: int, seed: int) -> list[ColumnSet]:
    """``size`` random dimensions beyond ``bound``, or out of the second half where that leaves too few."""
    return draw_sets("rest", size, min(bound, width // 2), width, draws, seed)


def draw_sets(kind: str, size: int, start: int, width: int, draws: int, seed: int) -> list[ColumnSet]:
    """``size`` random dimensions of ``[start:width]``, ``draws`` times."""
    if size > width - start:
        raise IsoglossError(
            f"{size} random dimensions out of the {width - start} from {start} on",
            where=f"a space of {width} dimensions",
            remedy="set a smaller window or profile size",
        )
    rng = np.random.default_rng((seed, size, start))
    drawn = [start + np.sort(rng.choice(width - start, size, replace=False)) for _ in range(draws)]
    return [ColumnSet(kind, size, tuple(map(int, one)), draw) for draw, one in enumerate(drawn)]


def compact(sets: Sequence[ColumnSet], width: int) -> tuple[list[int], list[ColumnSet]]:
    """The columns that any of the sets has, and the sets as numbers among these: what is not seen need not be kept."""
    numbers = [range(width)[one.columns] if isinstance(one.columns, slice) else one.columns or () for one in sets]
    used = sorted({column for columns in numbers for column in columns})
    place = {column: number for number, column in enumerate(used)}
    renamed = [
        replace(one, columns=tuple(place[column] for column in columns))
        for one, columns in zip(sets, numbers, strict=True)
    ]
    return used, renamed
