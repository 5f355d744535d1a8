"""Differences between runs, paired where their records allow it."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import norm

from isogloss.probes.statistics import holm, paired_permutation

NOT_KEYS = frozenset({"n", "seconds", "low", "high", "p"})
FEWEST_PAIRS = 3


@dataclass(frozen=True)
class Difference:
    """How much higher ``run`` is than the first run in ``measure``: mean over pairs, interval, Holm-adjusted p."""

    run: str
    measure: str
    mean: float
    low: float
    high: float
    p: float
    n: int


def paired_differences(records: dict[str, pd.DataFrame]) -> list[Difference]:
    """Every run against the first one. A pair is what both runs measured: same language, layer, task, seed.

    Columns that are constant within each run (its model, its method) tell runs apart and pair nothing. Runs with
    different seeds are paired after averaging over seeds.
    """
    frames = {name: _by_measure(frame) for name, frame in records.items()}
    first = next(iter(frames))
    found = []
    for name, frame in frames.items():
        for measure in (m for m in frame if name != first and m in frames[first]):
            pairs = _pairs(frame[measure], frames[first][measure])
            if len(pairs) >= FEWEST_PAIRS:
                test = paired_permutation(pairs["value"], pairs["value_first"])
                gap = test.difference
                found.append(Difference(name, measure, gap.value, gap.low, gap.high, test.p, len(pairs)))
    if not found:
        return []
    adjusted = holm([difference.p for difference in found])
    return [
        Difference(d.run, d.measure, d.mean, d.low, d.high, float(p), d.n) for d, p in zip(found, adjusted, strict=True)
    ]


def p_of_intervals(one: tuple[float, float, float], two: tuple[float, float, float]) -> float:
    """A two-sided p for two estimates (value, low, high) that are not paired, from their 95% intervals."""
    wide = norm.ppf(0.975)
    errors = [(high - low) / (2 * wide) for _, low, high in (one, two)]
    error = float(np.hypot(*errors))
    gap = one[0] - two[0]
    if not np.isfinite(error) or not np.isfinite(gap):
        return float("nan")
    if error == 0:
        return 1.0 if gap == 0 else 0.0
    return float(2 * norm.sf(abs(gap) / error))


def _by_measure(records: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Tidy records by measure: the values of a column ``measure``, or else every float column."""
    if "measure" in records.columns and "value" in records.columns:
        return {str(m): part.drop(columns="measure") for m, part in records.groupby("measure", sort=False)}
    floats = [c for c in records.columns if records[c].dtype.kind == "f" and c not in NOT_KEYS]
    others = [c for c in records.columns if c not in floats]
    return {c: records[[*others, c]].rename(columns={c: "value"}) for c in floats}


def _pairs(one: pd.DataFrame, first: pd.DataFrame) -> pd.DataFrame:
    keys = [c for c in one.columns if c in first.columns and c not in NOT_KEYS and one[c].dtype.kind != "f"]
    keys = [c for c in keys if one[c].nunique() > 1 or first[c].nunique() > 1]
    if not keys:
        return pd.DataFrame()
    pairs = _join(one, first, keys)
    if len(pairs) < FEWEST_PAIRS and "seed" in keys and len(keys) > 1:
        pairs = _join(one, first, [key for key in keys if key != "seed"])
    return pairs


def _join(one: pd.DataFrame, first: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    left, right = (f.groupby(keys, as_index=False)["value"].mean().dropna() for f in (one, first))
    pairs: pd.DataFrame = left.merge(right, on=keys, suffixes=("", "_first"))
    return pairs
