"""Rows for training and test, language by language."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import IsoglossError
from isogloss.geometry.arrays import Indices


@dataclass(frozen=True)
class Split:
    """Row numbers of one language, in random order."""

    train: Indices
    test: Indices


def split_by_language(
    codes: Indices,
    names: list[Any],
    train: int,
    test: int,
    seed: int,
    groups: NDArray[Any] | None = None,
) -> list[Split]:
    """At most ``train`` and ``test`` rows of each language; where it has fewer, in the same proportion.

    ``groups`` (n) are units that must not be torn apart (the sentence of a token): a group's rows are all in
    training or all in test.
    """
    return [
        _split(np.flatnonzero(codes == code), name, train, test, (seed, code), groups)
        for code, name in enumerate(names)
    ]


def _split(
    rows: Indices, name: Any, train: int, test: int, seed: tuple[int, int], groups: NDArray[Any] | None
) -> Split:
    rng = np.random.default_rng(seed)
    units = np.arange(len(rows)) if groups is None else np.unique(groups[rows], return_inverse=True)[1]
    count = int(units.max(initial=-1)) + 1
    if count < 2:
        raise IsoglossError(
            f"{len(rows)} row(s) in {count} unit(s): nothing is left to test on",
            where=f"language {name}",
            remedy="give at least two rows (or sentences) per language",
        )
    held = min(max(1, round(count * test / (train + test))), count - 1)
    place = rng.permutation(count)[units]  # units in random order; the first ``held`` are for test
    order = rng.permutation(len(rows))
    tested = place[order] < held
    return Split(rows[order[~tested]][:train], rows[order[tested]][:test])
