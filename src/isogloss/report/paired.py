"""Differences between runs: tested over languages and seeds or over sentences, never over rows that hang together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from isogloss.probes.statistics import Estimate, Scale, holm, p_of_interval, share_difference, verdict
from isogloss.probes.statistics.verdicts import LEVEL, Word
from isogloss.report.pairing import LANGUAGES, SEED, by_measure, pair_up
from isogloss.studies.columns import ABROAD
from isogloss.studies.shared.comparison import Comparison

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
    found = [one.estimate for one in _comparisons(frame, pairs.keys)] + _over_sentences(frame)
    known = [estimate for estimate in found if np.isfinite(estimate.low)]
    yield from ((estimate, p_of_interval(estimate)) for estimate in known)
    if not known:
        yield Estimate(float(frame["gap"].mean()), np.nan, np.nan, 1), np.nan


def _comparisons(frame: pd.DataFrame, keys: tuple[str, ...]) -> Iterator[Comparison]:
    """The same differences as a sample of languages (with seeds, where there are several), and of seeds alone."""
    moving = [name for name in LANGUAGES if name in keys]
    seeds = frame[SEED].nunique() if SEED in keys else 1
    if {"source", "target"} <= set(moving):
        table = frame.pivot_table(index="source", columns="target", values="gap", dropna=True)
        names = sorted({*table.index, *table.columns} - {""})
        if len(names) >= FEWEST_LANGUAGES:
            yield Comparison(table.reindex(index=names, columns=names), "pairs")
    elif moving and frame[moving[-1]].nunique() >= FEWEST_LANGUAGES:
        rows = SEED if seeds > 1 else pd.Series(0, index=frame.index)
        table = frame.pivot_table(index=rows, columns=moving[-1], values="gap").dropna(axis=1)
        if table.shape[1] >= FEWEST_LANGUAGES:
            yield Comparison(table, "random")
    if seeds > 1:
        yield Comparison(frame.groupby(SEED)[["gap"]].mean())


def _over_sentences(frame: pd.DataFrame) -> list[Estimate]:
    """From the intervals of both runs, as if all rows were of the same sentences and the runs were independent.

    Both errs on the wide side: rows of other sentences would average out, and runs on the same sentences pair up.
    """
    columns = [f"{name}{end}" for name in ("value", "low", "high") for end in ("", "_first")]
    if not {*columns, "n"} <= set(frame.columns) or frame[columns].isna().any(axis=None):
        return []
    means, n = frame[columns].mean(), int(frame["n"].min())
    one, first = (
        Estimate(means[f"value{end}"], means[f"low{end}"], means[f"high{end}"], n, over="sentences")
        for end in ("", "_first")
    )
    return [share_difference(one, first)]


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
