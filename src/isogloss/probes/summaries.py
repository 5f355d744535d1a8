"""Tidy frames summed up: a mean with its interval for each column set, seeds being a random effect."""

from collections.abc import Hashable, Mapping, Sequence

import pandas as pd

from isogloss.probes.statistics import Estimate, over_seeds, over_seeds_and_pairs

Pairs = Mapping[str, tuple[Hashable, Hashable]]  # the two languages of a pair, by its name
_DIFFERENCES = {"gain", "selectivity"}  # between -1 and 1; all other values are shares


def summarise(
    frame: pd.DataFrame,
    values: Sequence[str],
    item: str,
    by: Sequence[str] = ("kind", "x", "draw"),
    pairs: Pairs | None = None,
) -> pd.DataFrame:
    """One row per group of ``by``; for each value its mean, ``_low`` and ``_high`` over seeds and items, and n."""
    rows = []
    for key, part in frame.groupby(list(by), sort=False, dropna=False):
        row = dict(zip(by, key, strict=True))
        for value in values:
            estimate = over_seeds_and_items(part, value, item, pairs)
            row |= {value: estimate.value, f"{value}_low": estimate.low, f"{value}_high": estimate.high}
        rows.append({**row, "n": len(part)})
    return pd.DataFrame(rows)


def over_seeds_and_items(frame: pd.DataFrame, value: str, item: str, pairs: Pairs | None = None) -> Estimate:
    """The mean of ``value`` over a frame with one row per seed and item.

    Items that are ``pairs`` of languages (by their names in the frame) share these, so the interval is over languages.
    Other items count only where every seed has them.
    """
    limits = (-1.0 if value in _DIFFERENCES else 0.0, 1.0)
    table = frame.pivot_table(index="seed", columns=item, values=value, sort=False)
    if pairs:
        return over_seeds_and_pairs(table.to_numpy(), [pairs[name] for name in table.columns], limits=limits)
    return over_seeds(table.dropna(axis="columns").to_numpy(), limits=limits)
