"""Differences of conditions to a reference, paired by seed and language, with intervals; and how they are said."""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isogloss.probes.statistics import Estimate, holm, over_seeds, paired_permutation
from isogloss.studies.result import Finding

PAIRED = ["seed", "data", "target"]


def scores_by_seed(frame: pd.DataFrame) -> pd.DataFrame:
    """Scores in points: a row a seed, a column a data set and target."""
    return 100 * frame.pivot_table(index="seed", columns=["data", "target"], values="value")


def level(frame: pd.DataFrame) -> Estimate:
    """The mean over the targets in ``frame`` and over seeds, in points."""
    return spread(scores_by_seed(frame).to_numpy())


def loss(changed: pd.DataFrame, reference: pd.DataFrame) -> Estimate:
    """The mean difference to the reference, in points, over the same seeds and targets; negative is worse."""
    return spread(paired(changed, reference).to_numpy())


def losses_by_target(changed: pd.DataFrame, reference: pd.DataFrame) -> Iterator[tuple[str, Estimate]]:
    """The same for every target on its own, in the order of ``changed``."""
    for target in dict.fromkeys(changed["target"]):
        yield target, loss(changed[changed["target"] == target], reference[reference["target"] == target])


def paired(changed: pd.DataFrame, reference: pd.DataFrame) -> pd.DataFrame:
    """Differences in points: seeds x targets, only what both have."""
    gaps = scores_by_seed(changed) - scores_by_seed(reference)
    return gaps.dropna(axis=0, how="all").dropna(axis=1)


def spread(table: NDArray[np.float64]) -> Estimate:
    """The mean of seeds x targets with an interval over seeds; with one seed, over targets."""
    if not table.size:
        return Estimate(math.nan, math.nan, math.nan, 0)
    if len(table) > 1:
        return over_seeds(table, items="fixed")
    return over_seeds(table, items="random")


def p_value(changed: pd.DataFrame, reference: pd.DataFrame) -> float:
    """Paired permutation over targets (the unit that is swapped whole), seeds together; NaN below two targets."""
    gaps = paired(changed, reference)
    if gaps.shape[1] < 2:
        return math.nan
    means = gaps.mean(axis=0).to_numpy()
    return paired_permutation(means, np.zeros_like(means)).p


def adjust(frame: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """``frame`` with the p-values of ``columns`` corrected by Holm's method over all that they hold."""
    p = frame[columns].to_numpy(dtype=float, copy=True)
    tested = np.isfinite(p)
    if tested.any():
        p[tested] = holm(p[tested])
    return frame.assign(**dict(zip(columns, p.T, strict=True)))


def spread_of(name: str, found: Estimate) -> dict[str, float]:
    """An estimate as the columns of a table: its value and what is shown on hover."""
    return {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high, f"{name}_n": found.n}


def known(value: float) -> float | None:
    return None if math.isnan(value) else value


def interval(found: Estimate, decimals: int = 1) -> str:
    """`` [10.1, 14.4]``, signs as in the estimate; nothing where there is no interval."""
    if math.isnan(found.low):
        return ""
    low, high = (round(end, decimals) + 0.0 for end in (found.low, found.high))  # no -0.0
    return f" [{low:.{decimals}f}, {high:.{decimals}f}]"


def doubt(found: Estimate) -> str:
    """What must be said where chance alone may explain a difference."""
    if math.isnan(found.low):
        return " (one seed and one language: no interval)"
    return " (the interval includes zero)" if found.low <= 0 <= found.high else ""


def flipped(found: Estimate) -> Estimate:
    """A loss as a cost."""
    return replace(found, value=-found.value, low=-found.high, high=-found.low)


def cost_words(found: Estimate) -> str:
    """``costs 12.3 points [10.1, 14.4]`` for a loss of -12.3, ``gains ...`` for the other way."""
    shown = flipped(found) if found.value < 0 else found
    verb = "costs" if found.value < 0 else "gains"
    if round(shown.value, 1) == 0:
        verb = "changes"  # by 0.0 points
    return f"{verb} {shown.value:.1f} points{interval(shown)}{doubt(shown)}"


def signed(value: float) -> str:
    """``+1.2``, ``-0.3``, ``+0.0``: never minus nothing."""
    return f"{round(value, 1) + 0.0:+.1f}"


def counted(number: int, word: str) -> str:
    """``1 seed``, ``3 seeds``."""
    return f"{number} {word}" + ("" if number == 1 else "s")


def finding(text: str, found: Estimate, unit: str = "points") -> Finding:
    """A sentence with the estimate it rests on."""
    return Finding(text, known(found.value), known(found.low), known(found.high), found.n, unit)
