"""A finished run as its answer reads it: scores as tables of repetitions x items, and estimates from them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from isogloss.corpora.language_facts import languages_in
from isogloss.probes.statistics import Estimate, over_seeds
from isogloss.studies.columns import ABROAD, HOME, tidy
from isogloss.studies.locate.cells import FILE, pick_layer
from isogloss.studies.locate.config import Config
from isogloss.studies.locate.plan import LocateCondition, LocateTagging, ask
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.comparison import FrameUnits, compare_tables, scaled, spread_table
from isogloss.studies.shared.gather import Gather
from isogloss.studies.shared.models import Checkpoint
from isogloss.studies.shared.provenance import TRAINED_HERE
from isogloss.studies.study import Results
from isogloss.transfer import score_frame

MEASURES = {"LI": "accuracy", "LT": "micro_f1", "LT unseen": "micro_f1", "LS": "v_measure"}
KEY = ["layer", "method", "subset", "task", "kind", "x"]
ITEMS = "probed items"  # pairs of languages, features
NEXT_TO_NOTHING = 0.05  # share of a curve's height above random
Key = tuple[int, str, str, str, str, int]


@dataclass(frozen=True)
class Dimension:
    """How many leading dimensions score above random ones; ``open`` where some repetition never came down to these.

    A window is above random where it is beyond the 95% prediction interval of a draw of random dimensions.
    """

    estimate: Estimate
    open: bool
    window: int

    def __str__(self) -> str:
        number = f"{self.estimate.value:.1f}".removesuffix(".0")
        return f"at least {number}" if self.open else number


@dataclass(frozen=True, eq=False)
class LocateView:
    """The probes of a run. ``layer`` is the one that Figs. 1, 2 and 5 look at."""

    frame: pd.DataFrame  # layer, method, subset, task, kind, x, draw, item, seed, value, chance, n
    layer: int
    layers: tuple[str, ...]
    languages: tuple[str, ...]
    width: int
    config: Config = field(default_factory=lambda: Config(""))
    tagged: pd.DataFrame = field(default_factory=pd.DataFrame)  # task, x, target, seed, side, value ... of fine-tunings
    notes: tuple[str, ...] = ()  # what could not be asked, or was short
    revision: str = ""
    unconverged: tuple[int, int] = (0, 0)  # probes that did not converge, of how many
    _wide: Mapping[str, pd.DataFrame] = field(init=False)  # a row per point and repetition, a column per item
    _places: Mapping[Key, list[int]] = field(init=False)  # of a point in these
    _cut: dict[tuple[Key, str], pd.DataFrame] = field(init=False, default_factory=dict)  # tables that were asked for

    def __post_init__(self) -> None:
        means = self.frame.groupby([*KEY, "seed", "item"], sort=False)[["value", "chance"]].mean()
        wide = {value: means[value].unstack("item") for value in ("value", "chance")}
        places: dict[Key, list[int]] = {}
        for place, point in enumerate(wide["value"].index):
            places.setdefault(point[:-1], []).append(place)
        object.__setattr__(self, "_wide", wide)
        object.__setattr__(self, "_places", places)

    def records(self) -> pd.DataFrame:
        """A row per probe, and per score of a fine-tuning."""
        probes = self.frame.rename(columns={"method": "condition"})
        measure = probes["task"].map(MEASURES).fillna(probes["kind"])
        unit = np.where(probes["task"] == "room", "dimensions", "share")
        parts = [probes.assign(measure=measure, unit=unit, data=self.config.name_data())]
        if len(self.tagged):
            parts.append(self.tagged.assign(layer=self.layer, source=self.config.source, subset="all", unit="share"))
        extra = ("side", "subset", "kind", "x", "draw", "item", "chance", "revision")
        return tidy([part.assign(model=self.config.model, revision=self.revision) for part in parts], extra)

    def table(
        self, task: str, kind: str, x: int, method: str, subset: str = "all", layer: int | None = None,
        value: str = "value",
    ) -> pd.DataFrame:  # fmt: skip
        """Repetitions x items (pairs of languages, features), means over random draws; empty where not measured."""
        key = (self.layer if layer is None else layer, method, subset, task, kind, x)
        if (key, value) not in self._cut:
            self._cut[key, value] = self._cut_out(key, value)
        return self._cut[key, value].copy(deep=False)

    def _cut_out(self, key: Key, value: str) -> pd.DataFrame:
        found = self._wide[value].iloc[self._places.get(key, [])]
        found = found.droplevel(list(range(len(KEY)))).dropna(axis="columns", how="all")
        if key[3] == "LI":
            pairs = [self._pairs[name] for name in found.columns]
            found.columns = pd.MultiIndex.from_tuples(pairs, names=["one", "other"])
        return found

    @cached_property
    def _pairs(self) -> dict[str, tuple[str, str]]:
        """The two languages of a pair, by the name that the probes give it."""
        return {f"{one}-{other}": (one, other) for one, other in permutations(self.languages, 2)}

    def xs(self, task: str, kind: str, method: str, subset: str = "all") -> list[int]:
        """The sizes (or ends of windows) at which a kind was measured, in order."""
        wanted = (self.layer, method, subset, task, kind)
        return sorted(key[-1] for key in self._places if key[:-1] == wanted)

    def methods(self) -> list[str]:
        """The methods in the order of the run."""
        return list(dict.fromkeys(key[1] for key in self._places if key[2] == "all" and key[3] == "LI"))

    def subsets(self) -> list[str]:
        """The families that were looked at, and the random languages."""
        return list(dict.fromkeys(key[2] for key in self._places if key[2] != "all"))

    def number(self, subset: str) -> int:
        """How many languages a subset has."""
        rows = self.frame[(self.frame["subset"] == subset) & (self.frame["kind"] == "rank")]
        return int(rows["n"].iloc[0])

    def window(self, subset: str = "all") -> int:
        """How many dimensions a window has."""
        return self.xs("LI", "window", "densray" if subset != "all" else self.methods()[0], subset)[0]

    def dimension(self, task: str, method: str, subset: str = "all") -> Dimension | None:
        """Windows from the first on that score above random ones: their dimensions, over repetitions."""
        ends = self.xs(task, "window", method, subset)
        if not ends:
            return None
        window = ends[0]
        level = self._level(task, "rest", window, method, subset)
        scores = {end: self.table(task, "window", end, method, subset).mean(axis=1) for end in ends}
        found = [leading({end: scores[end][seed] for end in ends}, level[seed], window) for seed in level.index]
        estimate = over_seeds(np.array(found, dtype=float))
        return Dimension(bounded(estimate, self.width), ends[-1] in found, window)

    def meeting(self, task: str, method: str) -> Estimate | None:
        """The size x from which ``[x:2x]`` stands next to nothing above x random dimensions (Fig. 1)."""
        sizes = [x for x in self.xs(task, "next", method) if x in self.xs(task, "random", method)]
        if not sizes:
            return None
        tables = {x: self.table(task, "next", x, method) - self.table(task, "random", x, method) for x in sizes}
        gaps = pd.DataFrame({x: table.mean(axis=1) for x, table in tables.items()})
        level = NEXT_TO_NOTHING * gaps.max(axis=1)
        found = [next((x for x in sizes if gaps.loc[seed, x] <= level[seed]), sizes[-1]) for seed in gaps.index]
        return bounded(over_seeds(np.array(found, dtype=float)), self.width)

    def level_above(self, task: str, method: str) -> float:
        """How far above the mean of random windows a further draw of them would stay, mean over repetitions."""
        window = self.xs(task, "window", method)[0]
        rest = self.table(task, "rest", window, method).mean(axis=1)
        return float((self._level(task, "rest", window, method) - rest).mean())

    def _level(self, task: str, kind: str, x: int, method: str, subset: str = "all") -> "pd.Series[float]":
        """What a further draw of random dimensions would stay below, by repetition."""
        point = dict(zip(KEY, (self.layer, method, subset, task, kind, x), strict=True))
        rows = self.frame[np.logical_and.reduce([self.frame[name] == wanted for name, wanted in point.items()])]
        return upper_level(rows.groupby(["seed", "draw"])["value"].mean().unstack("draw"))


def upper_level(draws: pd.DataFrame) -> "pd.Series[float]":
    """The upper end of the 95% prediction interval of one more draw, by repetition (repetitions x draws).

    The spread is pooled over repetitions; with one draw there is none, and the draw itself is the level.
    """
    repetitions, count = draws.shape
    freedom = repetitions * (count - 1)
    if not freedom:
        return draws.mean(axis=1)
    spread = float(np.sqrt(draws.var(axis=1, ddof=1).mean() * (1 + 1 / count)))
    return draws.mean(axis=1) + float(special.stdtrit(freedom, 0.975)) * spread


def leading(scores: Mapping[int, float], level: float, window: int) -> int:
    """The end of the last window before the first one that does not score above ``level``; 0 if that is the first."""
    for end, score in scores.items():
        if score <= level:
            return end - window
    return max(scores)


def estimate(table: pd.DataFrame) -> Estimate:
    """The mean of repetitions x items; features are a sample of what could have been asked, pairs share languages."""
    return spread_table(table, _units(table), ITEMS)


def difference(first: pd.DataFrame, second: pd.DataFrame) -> Estimate:
    """The mean of ``first - second`` in points, paired by repetition and item, of which repetitions may have their
    own."""
    return scaled(compare_tables(first, second, _units(first), ITEMS).estimate)


def _units(table: pd.DataFrame) -> FrameUnits:
    return "pairs by seed" if table.columns.nlevels == 2 else "random"


def bounded(found: Estimate, width: int) -> Estimate:
    """A number of dimensions cannot leave 0 .. width."""
    low, high = np.clip([found.low, found.high], 0, width)
    return Estimate(found.value, float(low), float(high), found.n)


def mean_table(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The mean of several tables of the same repetitions and items."""
    return sum(tables[1:], tables[0]) / len(tables)


def view_of(plan: StudyPlan[Config, LocateCondition | LocateTagging], results: Results) -> LocateView:
    """Every probe of the run in one frame, and the fine-tunings beside them."""
    config = plan.config
    repetitions = [one for one in plan.conditions if isinstance(one, LocateCondition)]
    tagged = [one for one in plan.conditions if isinstance(one, LocateTagging)]
    cells = [cell for one in repetitions for cell in one.probes]
    frames = [pd.read_parquet(results.folder(cell) / FILE) for cell in cells]
    heads, head, first = [results[cell] for cell in cells], results[repetitions[0].layers], repetitions[0].gather
    # The layer that curves look at is in the comparison of layers too: the same probes, counted once.
    frame = pd.concat(frames, ignore_index=True).drop_duplicates([*KEY, "draw", "item", "seed"], ignore_index=True)
    return LocateView(
        frame, pick_layer(config.layer, head.layers), head.layers, first.languages, head.width, config,
        tagged=_tagged_frame(tagged, results),
        notes=tuple(_notes(config, first, results[first].tokens)),
        revision=first.model.revision if isinstance(first.model, Checkpoint) else TRAINED_HERE,
        unconverged=(sum(one.unconverged for one in heads), sum(one.rows for one in heads)),
    )  # fmt: skip


def _notes(config: Config, first: Gather, tokens: Mapping[str, int]) -> Iterator[str]:
    """What was left out, and what was short."""
    yield from ask(config, first.languages, languages_in(config.name_data(), first.languages))[1]
    short = {code: count for code, count in tokens.items() if count < config.tokens}
    if short:
        least = min(short, key=lambda code: short[code])
        yield (
            f"{len(short)} of {len(first.languages)} languages had fewer than {config.tokens:,} tokens to fit on; "
            f"{least} had {short[least]:,}."
        )


def _tagged_frame(tagged: Sequence[LocateTagging], results: Results) -> pd.DataFrame:
    """A row per language, size and repetition."""
    if not tagged:
        return pd.DataFrame()
    same: dict[str, Any] = {"kind": "left out", "draw": 0, "condition": "densray"}
    parts = [
        score_frame(results[one.cell].scores, task=one.task.upper(), x=one.x, seed=one.seed, source=one.source, **same)
        for one in tagged
    ]
    frame = pd.concat(parts, ignore_index=True).rename(columns={"language": "target"})
    side = np.where(frame["target"] == frame["source"], HOME, ABROAD)
    return frame.assign(side=side)[frame["main"]].drop(columns=["main", "source", "low", "high"]).reset_index(drop=True)
