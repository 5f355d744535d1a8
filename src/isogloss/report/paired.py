"""Differences between runs: tested over languages and seeds or over sentences, never over rows that hang together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import stats

from isogloss.probes.statistics import Estimate, Scale, holm, over_pairs, over_seeds, share_difference, verdict
from isogloss.probes.statistics.verdicts import LEVEL, Word
from isogloss.report.pairing import LANGUAGES, SEED, by_measure, pair_up
from isogloss.studies.columns import ABROAD

FEWEST_LANGUAGES = 3
SCORES = ("accuracy", "f1", "las", "uas")
# What a study is run for: judged on their own, without correction for all the others.
PRIMARY: Mapping[str, tuple[str, ...]] = {
    "inspect": ("retrieval_standardised",),
    "glance": ("retrieval",),
    "align": ("retrieval", *SCORES),
    "emerge": SCORES,
    **dict.fromkeys(("transfer", "ablate", "fuse", "preserve", "forget"), SCORES),
}
MOST_PRIMARY = 2
NEUTRAL = Scale("", 3, higher_is_better=None)


@dataclass(frozen=True)
class Difference:
    """How much higher ``run`` is than the first run in ``measure``.

    ``estimate`` says what the interval is over. ``p`` is corrected by Holm's method over the measures that are not
    primary; the verdict of a primary measure is by its interval alone.
    """

    run: str
    measure: str
    estimate: Estimate
    p: float
    primary: bool
    scale: Scale = NEUTRAL

    @property
    def word(self) -> Word:
        """better, worse (higher, lower where neither is better), tied, too few to tell."""
        found = verdict(self.estimate, self.scale)
        return "tied" if found not in ("tied", "too few to tell") and not self.primary and self.p > LEVEL else found


def paired_differences(records: Mapping[str, pd.DataFrame], study: str = "") -> list[Difference]:
    """Every run against the first one, measure by measure; of primary measures, over all units that there are.

    A pair is what both runs measured: same language, layer, task, condition, seed. Rows of one language hang together,
    whatever their layer or direction, so they are averaged, and languages and seeds are the observations. Where there
    are too few of these, the interval is over the sentences of these languages.
    """
    frames = {name: by_measure(frame) for name, frame in records.items()}
    first = next(iter(frames))
    named = primary_measures(study, list(frames[first]))
    found = []
    for name, frame in frames.items():
        for measure in (m for m in frame if name != first and m in frames[first]):
            one, other = (_in_points(_abroad(part[measure], measure in named)) for part in (frame, frames[first]))
            estimates = list(estimates_of(one, other))
            for estimate, p in estimates if measure in named else estimates[:1]:
                found.append(Difference(name, measure, estimate, p, measure in named, _scale(measure, frame[measure])))
    return _corrected(found)


def primary_measures(study: str, measures: list[str]) -> list[str]:
    """The one or two measures that a study is run for, of those that there are; a single measure is primary anyway."""
    found = [name for name in PRIMARY.get(study, ()) if name in measures][:MOST_PRIMARY]
    return found or (measures if len(measures) == 1 else [])


def estimates_of(one: pd.DataFrame, first: pd.DataFrame) -> Iterator[tuple[Estimate, float]]:
    """The mean difference with its p-value: over languages (and seeds), over seeds, over sentences, as far as known."""
    pairs = pair_up(one, first)
    frame = pairs.frame
    if frame.empty:
        return
    frame = frame.assign(gap=frame["value"] - frame["value_first"])
    known = 0
    for found, freedom in _over_units(frame, pairs.keys):
        if np.isfinite(found.low):
            known += 1
            yield found, p_value(found, freedom)
    if (by_sentence := _over_sentences(frame)) is not None:
        known += 1
        yield by_sentence, p_value(by_sentence, np.inf)
    if not known:
        yield Estimate(float(frame["gap"].mean()), np.nan, np.nan, 1), np.nan


def _over_units(frame: pd.DataFrame, keys: tuple[str, ...]) -> Iterator[tuple[Estimate, float]]:
    moving = [name for name in LANGUAGES if name in keys]
    seeds = frame[SEED].nunique() if SEED in keys else 1
    if {"source", "target"} <= set(moving):
        table = frame.pivot_table(index="source", columns="target", values="gap", dropna=True)
        names = sorted({*table.index, *table.columns} - {""})
        if len(names) >= FEWEST_LANGUAGES:
            found = over_pairs(table.reindex(index=names, columns=names).to_numpy())
            yield found, found.n - 1
    elif moving and frame[moving[-1]].nunique() >= FEWEST_LANGUAGES:
        rows = SEED if seeds > 1 else pd.Series(0, index=frame.index)
        table = frame.pivot_table(index=rows, columns=moving[-1], values="gap").dropna(axis=1)
        if table.shape[1] >= FEWEST_LANGUAGES:
            found = over_seeds(table.to_numpy(), named="languages")
            yield found, found.n - 1
    if seeds > 1:
        found = over_seeds(frame.groupby(SEED)["gap"].mean().to_numpy())
        yield found, found.n - 1


def _over_sentences(frame: pd.DataFrame) -> Estimate | None:
    """From the intervals of both runs, as if all rows were of the same sentences and the runs were independent.

    Both errs on the wide side: rows of other sentences would average out, and runs on the same sentences pair up.
    """
    columns = [f"{name}{end}" for name in ("value", "low", "high") for end in ("", "_first")]
    if not {*columns, "n"} <= set(frame.columns) or frame[columns].isna().any(axis=None):
        return None
    means = frame[columns].mean()
    n = int(frame["n"].min())
    one, first = (Estimate(means[f"value{e}"], means[f"low{e}"], means[f"high{e}"], n) for e in ("", "_first"))
    return replace(share_difference(one, first), over="sentences")


def p_value(found: Estimate, freedom: float) -> float:
    """Two-sided, from the 95% interval: how far zero lies from the value, in units of the half-width on that side."""
    half = found.value - found.low if found.value > 0 else found.high - found.value
    if not np.isfinite(half):
        return np.nan
    if half == 0:
        return 1.0 if found.value == 0 else 0.0
    return float(2 * stats.t.sf(abs(found.value) / half * stats.t.ppf(0.975, freedom), freedom))


def p_of_intervals(one: tuple[float, float, float], two: tuple[float, float, float]) -> float:
    """A two-sided p for two estimates (value, low, high) that are not paired, from their 95% intervals."""
    wide = stats.norm.ppf(0.975)
    errors = [(high - low) / (2 * wide) for _, low, high in (one, two)]
    error = float(np.hypot(*errors))
    gap = one[0] - two[0]
    if not np.isfinite(error) or not np.isfinite(gap):
        return float("nan")
    if error == 0:
        return 1.0 if gap == 0 else 0.0
    return float(2 * stats.norm.sf(abs(gap) / error))


def _corrected(found: list[Difference]) -> list[Difference]:
    """p-values of measures that are not primary, corrected for each other."""
    places = [k for k, one in enumerate(found) if not one.primary and np.isfinite(one.p)]
    adjusted = dict(zip(places, holm([found[k].p for k in places]).tolist(), strict=True)) if places else {}
    return [replace(one, p=adjusted.get(k, one.p)) for k, one in enumerate(found)]


def _abroad(frame: pd.DataFrame, primary: bool) -> pd.DataFrame:
    """Primary measures of fine-tunings are of the other languages, where records say which these are."""
    if not primary or "side" not in frame.columns or not (frame["side"] == ABROAD).any():
        return frame
    return frame[frame["side"] == ABROAD]


def _is_share(frame: pd.DataFrame) -> bool:
    return "unit" in frame.columns and bool((frame["unit"] == "share").all())


def _in_points(frame: pd.DataFrame) -> pd.DataFrame:
    """Shares in points; everything else as it is."""
    if not _is_share(frame):
        return frame
    numbers = [name for name in ("value", "low", "high") if name in frame.columns]
    return frame.assign(**{name: 100 * frame[name] for name in numbers})


def _scale(measure: str, frame: pd.DataFrame) -> Scale:
    better = True if measure in SCORES or measure.startswith(("retrieval", "csls")) else None
    return Scale("points", 1, better) if _is_share(frame) else replace(NEUTRAL, higher_is_better=better)
