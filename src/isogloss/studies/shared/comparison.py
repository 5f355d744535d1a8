"""The one comparison of conditions: frame, keys and reference in; paired differences with intervals and tests out;
and how they are said. Every study, and the comparison of runs, uses it.

    compare(changed, reference)                  rows of a frame, paired by seed, data and target, in points
    compare_tables(changed, reference, units)    tables that are laid out already: repetitions x items, source x target
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from isogloss.probes.statistics import Estimate, bootstrap_mean, holm, over_seeds, paired_permutation
from isogloss.probes.statistics.pairs import over_pairs, over_seeds_and_pairs, over_sentences
from isogloss.probes.statistics.verdicts import TOO_FEW, changed, verdict
from isogloss.probes.statistics.verdicts import interval as interval  # noqa: PLC0414 - studies take it from here
from isogloss.studies.figure import SPREAD
from isogloss.studies.result import Finding

POSSIBLE, UNBOUNDED = (0.0, 100.0), (-math.inf, math.inf)  # what a score in points can be; what a difference can be
ITEMS = ["data", "target"]  # what is tested; seeds are drawn, these are fixed
Units = Literal["fixed", "random", "pairs", "sentences"]
FrameUnits = Units | Literal["pairs by seed"]  # whose columns name the pairs


def scores_by_seed(frame: pd.DataFrame) -> pd.DataFrame:
    """Scores in points: a row per seed, a column per data set and target; the mean where there are several."""
    values = frame["value"].to_numpy(dtype=np.float64)
    items = list(zip(*(frame[name] for name in ITEMS), strict=True))
    seeds, rows = np.unique(frame["seed"].to_numpy(), return_inverse=True)
    places = {item: place for place, item in enumerate(sorted(set(items)))}
    columns = np.fromiter((places[item] for item in items), dtype=np.int64, count=len(items))
    alone = len(np.unique(rows * len(places) + columns)) == len(items)
    if not (items and alone and np.isfinite(values).all()):
        return 100 * frame.pivot_table(index="seed", columns=ITEMS, values="value")
    table = np.full((len(seeds), len(places)), np.nan)  # as pandas would lay it out, in a tenth of the time
    table[rows, columns] = 100 * values
    return pd.DataFrame(table, index=pd.Index(seeds, name="seed"), columns=_header(tuple(places)))


@lru_cache(maxsize=256)
def _header(items: tuple[tuple[Any, ...], ...]) -> pd.MultiIndex:
    """Made once for tables of the same items: it takes longer than all the rest of a small table."""
    return pd.MultiIndex.from_tuples(items, names=ITEMS)


def scores_by_condition(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The same for every condition."""
    return {str(name): scores_by_seed(part) for name, part in frame.groupby("condition")}


def level(frame: pd.DataFrame, limits: tuple[float, float] = POSSIBLE) -> Estimate:
    """The mean over the targets in ``frame`` and over seeds, in points."""
    return spread(scores_by_seed(frame).to_numpy(), limits=limits)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Differences of a condition to its reference, seeds x what is tested; negative is worse. See ``spread``."""

    gaps: pd.DataFrame
    units: FrameUnits = "fixed"
    named: str = "languages"

    @cached_property
    def estimate(self) -> Estimate:
        """The mean difference, over the same seeds and targets."""
        return spread_table(self.gaps, self.units, self.named)

    @cached_property
    def p(self) -> float:
        """Paired permutation over targets (the unit that is swapped whole), seeds together; NaN below two targets."""
        if self.gaps.shape[1] < 2:
            return math.nan
        means = self.gaps.mean(axis=0).to_numpy()
        return paired_permutation(means, np.zeros_like(means)).p

    def by_target(self) -> Iterator[tuple[str, Estimate]]:
        """The same for every target on its own."""
        for target in dict.fromkeys(self.gaps.columns.get_level_values("target")):
            yield target, spread(self.gaps.xs(target, axis=1, level="target").to_numpy())


def compare(changed: pd.DataFrame, reference: pd.DataFrame) -> Comparison:
    """Scores of a condition minus those of its reference, paired by seed and by what is tested; only what both have."""
    return compare_tables(scores_by_seed(changed), scores_by_seed(reference))


def compare_tables(
    changed: pd.DataFrame, reference: pd.DataFrame, units: FrameUnits = "fixed", named: str = "languages"
) -> Comparison:
    """The same of tables, paired by their rows and columns. What is fixed must be in every row of both to count."""
    if changed.index.equals(reference.index) and changed.columns.equals(reference.columns):  # no need to align
        values = changed.to_numpy() - reference.to_numpy()
        gaps = pd.DataFrame(values, index=changed.index, columns=changed.columns)
        if changed.size and np.isfinite(values).all():
            return Comparison(gaps, units, named)
    else:
        gaps = changed - reference
    return Comparison(gaps.dropna(axis=0, how="all").dropna(axis=1) if units == "fixed" else gaps, units, named)


def compare_all(
    frame: pd.DataFrame, keys: Sequence[str], reference: str, conditions: Sequence[str], *, tested: bool = False
) -> pd.DataFrame:
    """A row per value of ``keys``: the level of the reference condition, and the difference of each of ``conditions``.

    Columns are ``reference`` and ``Δ CONDITION``, each with its spread; ``tested`` adds p-values, corrected by Holm's
    method over the whole table.
    """
    rows = []
    for values, part in frame.groupby(list(keys), sort=False):
        scores = scores_by_condition(part)
        none = next(iter(scores.values())).iloc[:0]
        own = scores.get(reference, none)
        row: dict[str, object] = {
            **dict(zip(keys, values, strict=True)),
            **spread_of("reference", spread(own.to_numpy())),
        }
        for name in conditions:
            found = compare_tables(scores.get(name, none), own)
            row |= spread_of(f"Δ {name}", found.estimate)
            row |= {f"Δ {name}_p": found.p} if tested else {}
        rows.append(row)
    found_rows = pd.DataFrame(rows)
    return adjust(found_rows, [f"Δ {name}_p" for name in conditions]) if tested and rows else found_rows


def spread_table(table: pd.DataFrame, units: FrameUnits = "fixed", named: str = "languages") -> Estimate:
    """The same of a frame; of ``pairs by seed`` its columns are the pairs of languages: over seeds and languages."""
    if units == "pairs by seed" and table.size:
        return over_seeds_and_pairs(table.to_numpy(), [(pair[0], pair[1]) for pair in table.columns])
    return spread(table.to_numpy(), "random" if units == "pairs by seed" else units, named)


def spread(
    table: NDArray[np.float64],
    units: Units = "fixed",
    named: str = "languages",
    limits: tuple[float, float] = UNBOUNDED,
) -> Estimate:
    """The mean of a table with its interval, which ends at the ``limits`` of what a score can be (over seeds).

    ``fixed``: seeds x targets, which are these and no others: over seeds; with one seed, over targets. ``random``:
    seeds x items, a sample of what could have been asked: over both; over seeds alone where each has items of its own.
    ``pairs``: source x target, over languages. ``sentences``: one row or more, over the columns.
    """
    if not table.size:
        return Estimate(math.nan, math.nan, math.nan, 0)
    if units == "pairs":
        return over_pairs(table)
    if units == "sentences":
        return over_sentences(table)
    if units == "random" and np.isnan(table).any():
        return over_seeds(np.nanmean(table, axis=1), limits=limits)
    return over_seeds(table, items=units if len(table) > 1 else "random", named=named, limits=limits)


def points_over_sentences(values: ArrayLike) -> Estimate:
    """The mean of one share per sentence (n), in points, with an interval over sentences."""
    return replace(bootstrap_mean(100 * np.asarray(values, dtype=np.float64)), over="sentences")


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


def spread_row(names: Mapping[str, object], /, **found: Estimate) -> dict[str, object]:
    """A row of a table: what it is, and an estimate per column."""
    row = dict(names)
    for name, estimate in found.items():
        row |= spread_of(name, estimate)
    return row


def spread_frame(names: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> pd.DataFrame:
    """A frame of rows that end with an estimate: ``names`` before it, and the columns of a figure's spread."""
    return pd.DataFrame([(*row, *found.columns()) for *row, found in rows], columns=[*names, *SPREAD])


def doubt(found: Estimate) -> str:
    """What must be said where chance alone may explain a difference."""
    word = verdict(found)
    if word == "too few to tell":
        return f" ({TOO_FEW})"
    return " (the interval includes zero)" if found.low <= 0 <= found.high else ""


def flipped(found: Estimate) -> Estimate:
    """A loss as a cost."""
    return replace(found, value=-found.value, low=-found.high, high=-found.low)


def scaled(found: Estimate, scale: float = 100.0) -> Estimate:
    """A share in per cent, or a difference of shares in points."""
    return replace(found, value=scale * found.value, low=scale * found.low, high=scale * found.high)


def cost_words(found: Estimate) -> str:
    """``costs 12.3 points [10.1, 14.4]`` for a loss of -12.3, ``gains ...`` for the other way; see ``verdicts``."""
    return changed(found)


def signed(value: float) -> str:
    """``+1.2``, ``-0.3``, ``+0.0``: never minus nothing."""
    return f"{round(value, 1) + 0.0:+.1f}"


def counted(number: int, word: str) -> str:
    """``1 seed``, ``3 seeds``."""
    return f"{number} {word}" + ("" if number == 1 else "s")


def unconverged_probes(count: int, of: int) -> Iterator[Finding]:
    """A warning where probes did not reach their optimum: their scores do not measure what the states hold."""
    if count:
        yield Finding(
            f"{count:,} of {of:,} probes did not converge; their scores may be below what the states allow.",
            warning=True,
        )


def finding(text: str, found: Estimate, unit: str = "points", holds: bool | None = None) -> Finding:
    """A sentence with the estimate it rests on; ``holds`` where it states a contrast (see ``Finding``)."""
    value, low, high = (None if math.isnan(end) else end for end in (found.value, found.low, found.high))
    return Finding(text, value, low, high, found.n, unit, over=found.over, holds=holds)


def supported(difference: Estimate) -> bool:
    """Whether a difference is told from zero, whichever way it points."""
    return verdict(difference) in ("better", "worse")
