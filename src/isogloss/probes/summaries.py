"""Tidy frames summed up: a mean with its interval for each column set, seeds being a random effect."""

from collections.abc import Sequence

import pandas as pd

from isogloss.probes.statistics import Estimate, over_seeds

_DIFFERENCES = {"gain", "selectivity"}  # between -1 and 1; all other values are shares


def summarise(
    frame: pd.DataFrame, values: Sequence[str], item: str, by: Sequence[str] = ("kind", "x", "draw")
) -> pd.DataFrame:
    """One row a group of ``by``; for each value its mean, ``_low`` and ``_high`` over seeds x items, and n."""
    rows = []
    for key, part in frame.groupby(list(by), sort=False, dropna=False):
        row = dict(zip(by, key, strict=True))
        for value in values:
            estimate = over_seeds_and_items(part, value, item)
            row |= {value: estimate.value, f"{value}_low": estimate.low, f"{value}_high": estimate.high}
        rows.append({**row, "n": len(part)})
    return pd.DataFrame(rows)


def over_seeds_and_items(frame: pd.DataFrame, value: str, item: str) -> Estimate:
    """The mean of ``value`` over a frame with one row a seed and item; items missing for some seed count as none."""
    table = frame.pivot_table(index="seed", columns=item, values=value, sort=False).dropna(axis="columns")
    return over_seeds(table.to_numpy(), limits=(-1.0 if value in _DIFFERENCES else 0.0, 1.0))
