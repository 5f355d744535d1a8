"""Which dimensions of a language space a probe sees: leading ones, windows, and random ones beside them (Liang21)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.probes.columns import ColumnSet, column_sets


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
