"""Which dimensions a probe sees: the first x, the next x, x random ones, or a window (Liang21 Figs. 1 and 2)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from isogloss.errors import IsoglossError, unknown_name

Kind = Literal["first", "next", "window", "random"]
KINDS = ("first", "next", "window", "random")


@dataclass(frozen=True)
class ColumnSet:
    """Some columns with their name in results: a kind, its size or end ``x``, and a number among random draws."""

    kind: str
    x: int
    columns: slice | tuple[int, ...] | None = None
    draw: int = 0

    def fields(self) -> dict[str, Any]:
        """The name as columns of a frame."""
        return {"kind": self.kind, "x": self.x, "draw": self.draw}


def column_sets(
    width: int,
    sizes: Iterable[int],
    kinds: Sequence[Kind] = ("first", "next", "random"),
    *,
    window: int = 10,
    draws: int = 1,
    random_state: int = 0,
) -> list[ColumnSet]:
    """Column sets of ``width`` columns for each size x.

    ``first`` is ``[0:x]``, ``next`` is ``[x:2x]``, ``random`` is x columns drawn ``draws`` times without
    replacement, ``window`` is ``[x-window:x]``. A set that does not fit into ``width`` is left out.
    """
    rng = np.random.default_rng(random_state)
    found = []
    for kind in kinds:
        if kind not in KINDS:
            raise unknown_name("kind of columns", kind, KINDS)
    for x in sizes:
        if not 1 <= x <= width:
            raise IsoglossError(f"there are no {x} columns among {width}", where="sizes")
        fixed = {"first": (0, x), "next": (x, 2 * x), "window": (x - window, x)}
        found += [
            ColumnSet(kind, x, slice(*ends))
            for kind, ends in fixed.items()
            if kind in kinds and ends[0] >= 0 and ends[1] <= width
        ]
        if "random" in kinds:
            drawn = [np.sort(rng.choice(width, x, replace=False)) for _ in range(draws)]
            found += [ColumnSet("random", x, tuple(map(int, one)), draw) for draw, one in enumerate(drawn)]
    return found


def every_column(width: int) -> list[ColumnSet]:
    """The one set of all columns."""
    return [ColumnSet("all", width)]
