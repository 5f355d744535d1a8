"""A study of forgetting as its answer reads it: one tidy frame of measurements, maps, moves and draws."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import pandas as pd

from isogloss.probes.statistics import Estimate
from isogloss.studies.columns import tidy
from isogloss.studies.figure import SPREAD
from isogloss.studies.forget.cells import MAPS, MOVES, TASK, TEXT
from isogloss.studies.forget.config import FINE_TUNED, INITIAL, Config
from isogloss.studies.forget.plan import ForgetCondition
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.comparison import Comparison, compare, level
from isogloss.studies.shared.kept import kept
from isogloss.studies.shared.scores import main_scores, on_own_data, pick
from isogloss.studies.study import Results
from isogloss.transfer import Tuned
from isogloss.transfer.cells import TALLIES
from isogloss.transfer.tally_file import read_tallies

ALL = ""
SCORE, POOLED, POOLED_ACCURACY = "score", "pooled score", "pooled accuracy"
PAPER, CONVERGED, ACCURACY, CONTROL = "identification, paper", "identification", "accuracy", "accuracy, random labels"
LABELS, LANGUAGES = "V-measure, labels", "V-measure, languages"
ARI_LABELS, ARI_LANGUAGES = "ARI, labels", "ARI, languages"
BELOW_CHANCE = (-100.0, 100.0)  # an adjusted Rand index may be negative
BY = {"label": (LABELS, ARI_LABELS, "variance, labels"), "language": (LANGUAGES, ARI_LANGUAGES, "variance, languages")}
COLUMNS = ["task", "condition", "method", "seed", "target", "side", "data", "measure", "value", "low", "high", "n"]
Shown = tuple[tuple[str, str, str], ...]  # what a row says, its measure and its data
MEASURED: Shown = (  # in the order of the paper's tables
    ("task, mean over languages", SCORE, ""),
    ("task, all languages pooled", POOLED, ""),
    ("languages of task data, the paper's protocol", PAPER, TASK),
    ("languages of task data, converged", CONVERGED, TASK),
    ("languages of text, the paper's protocol", PAPER, TEXT),
    ("languages of text, converged", CONVERGED, TEXT),
)
CLUSTERED: Shown = tuple(  # V-measures first
    (f"{by}s, {data}{how}", BY[by][place], data)
    for place, how in enumerate(("", " (ARI)", " (share of variance)"))
    for by, data in (("label", TASK), ("language", TASK), ("language", TEXT))
)
SEARCHED = {
    "spread of the head's start": "head_spread", "batch": "batch", "rate of the head": "head_rate",
    "rate of the encoder": "encoder_rate",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class ForgetView:
    """``frame``: a row per measurement, as shares. ``maps``, ``moves``: at the first seed. ``draws``: of searches."""

    model: str
    source: str
    frame: pd.DataFrame
    maps: pd.DataFrame
    moves: pd.DataFrame
    draws: pd.DataFrame
    measures: dict[str, str]  # task -> the measure it is reported by
    unconverged: tuple[int, int]  # solved probes that did not reach their optimum, of how many

    def records(self) -> pd.DataFrame:
        """A row per measurement: scores, identification, clusters."""
        frame = self.frame.assign(model=self.model, source=self.source, unit="share")
        return tidy([frame], extra=("side", "method"))

    def tasks(self) -> list[str]:
        return list(self.measures)

    def conditions(self) -> list[str]:
        return list(dict.fromkeys(self.frame["condition"]))

    @property
    def reference(self) -> str:
        """What forgetting is compared with: plain fine-tuning, or the first condition where there is none."""
        names = self.conditions()
        return FINE_TUNED if FINE_TUNED in names else names[0]

    def comparisons(self) -> Iterator[tuple[str, str]]:
        """A condition and what it is compared with: fine-tuning with the start, all others with fine-tuning."""
        names = self.conditions()
        if INITIAL in names and self.reference != INITIAL:
            yield self.reference, INITIAL
        yield from ((name, self.reference) for name in names if name not in (INITIAL, self.reference))

    @kept
    def of(self, task: str, condition: str, measure: str, data: str = "", side: str = ALL) -> pd.DataFrame:
        narrower = {name: value for name, value in (("data", data), ("side", side)) if value}
        return pick(self.frame, task=task, condition=condition, measure=measure, **narrower)

    @kept
    def level(self, task: str, condition: str, measure: str, data: str = "", side: str = ALL) -> Estimate:
        """The mean over seeds (and languages), in points."""
        rows = self.of(task, condition, measure, data, side)
        return level(rows, BELOW_CHANCE) if measure in (ARI_LABELS, ARI_LANGUAGES) else level(rows)

    def levels(self, shown: Shown) -> pd.DataFrame:
        """task, measured (what a row says), condition, value, low, high, n."""
        rows = [
            (task, name, condition, *self.level(task, condition, measure, data).columns())
            for task, (name, measure, data), condition in product(self.tasks(), shown, self.conditions())
        ]
        return pd.DataFrame(rows, columns=["task", "measured", "condition", *SPREAD])

    def languages(self) -> pd.DataFrame:
        """task, condition, language, value, low, high, n: the task's score in every language."""
        parts = pick(self.frame, measure=SCORE).groupby(["task", "condition", "target"], sort=False)
        rows = [(*names, *level(part).columns()) for names, part in parts]
        return pd.DataFrame(rows, columns=["task", "condition", "language", *SPREAD])

    @kept
    def compared(self, task: str, pair: tuple[str, str], measure: str, data: str = "", side: str = ALL) -> Comparison:
        """The first condition against the second, over the same seeds and languages."""
        after, before = (self.of(task, name, measure, data, side) for name in pair)
        return compare(after, before)

    def change(self, task: str, pair: tuple[str, str], measure: str, data: str = "", side: str = ALL) -> Estimate:
        """How many points the first condition is above the second."""
        return self.compared(task, pair, measure, data, side).estimate

    def gaps(self, task: str, measure: str, other: str) -> list[tuple[Estimate, str, str]]:
        """How many points one measure is above another, where both are there; then the condition and the data."""
        return [
            (compare(self.of(task, condition, measure, data), theirs).estimate, condition, data)
            for condition, data in product(self.conditions(), (TASK, TEXT))
            if len(theirs := self.of(task, condition, other, data))
        ]


def view_of(plan: StudyPlan[Config, ForgetCondition], results: Results) -> ForgetView:
    """Read what the cells left."""
    config, found = plan.config, plan.conditions
    drawn = {one.setup.label: results.folder(one.maps) for one in found if one.maps is not None}
    maps, moves = (
        pd.concat([pd.read_parquet(folder / file).assign(task=task) for task, folder in drawn.items()])
        for file in (MAPS, MOVES)
    )
    solved = [row.converged for one in found for row in results[one.identify].rows if row.converged is not None]
    parts = [part for one in found for part in _measurements(one, results)]
    return ForgetView(
        model=config.model,
        source=config.source,
        frame=pd.concat(parts, ignore_index=True)[COLUMNS],
        maps=maps.reset_index(drop=True),
        moves=moves.reset_index(drop=True),
        draws=pd.DataFrame([row for one in found if one.seed == config.seeds[0] for row in _draws(one, results)]),
        measures={setup.label: setup.measure for setup in config.tasks},
        unconverged=(solved.count(False), len(solved)),
    )


def _measurements(one: ForgetCondition, results: Results) -> Iterator[pd.DataFrame]:
    names = {"task": one.setup.label, "condition": one.name, "method": one.method, "seed": one.seed}
    yield on_own_data(main_scores(results[one.cell], one.setup, (one.home,), **names)).assign(measure=SCORE)
    rows = [*_pooled(one, results), *_identified(one, results), *_clustered(one, results)]
    yield pd.DataFrame([{**names, "target": "", "side": "", **row} for row in rows])


def _row(data: str, measure: str, value: float, n: int, low: float = float("nan"), high: float = float("nan")) -> Any:
    return {"data": data, "measure": measure, "value": value, "low": low, "high": high, "n": n}


def _pooled(one: ForgetCondition, results: Results) -> Iterator[Any]:
    """The score of all languages' test data together, which is how the paper scores."""
    name = one.setup.test_data or one.setup.data
    tallies = read_tallies(results.folder(one.cell) / TALLIES)
    mine = [tally for key, tally in tallies.items() if key.rpartition("/")[0] == name]
    found = sum(mine[1:], mine[0]).estimates()
    for measure, own in ((POOLED, one.setup.measure), (POOLED_ACCURACY, "accuracy")):
        if own in found:
            yield _row(name, measure, found[own].value, found[own].n, found[own].low, found[own].high)


def _identified(one: ForgetCondition, results: Results) -> Iterator[Any]:
    for row in results[one.identify].rows:
        if row.protocol == "paper":
            yield _row(row.test, PAPER, row.macro_f1, row.n)
            continue
        yield _row(row.test, CONVERGED, row.macro_f1, row.n)
        yield _row(row.test, ACCURACY, row.accuracy, row.n)
        if row.control is not None:
            yield _row(row.test, CONTROL, row.control, row.n)


def _clustered(one: ForgetCondition, results: Results) -> Iterator[Any]:
    for row in results[one.clusters].rows:
        v, ari, share = BY[row.by]
        yield {**_row(row.data, v, row.v_measure, row.n), "low": row.low, "high": row.high}
        yield _row(row.data, ari, row.ari, row.n)
        yield _row(row.data, share, row.share, row.n)


def _draws(one: ForgetCondition, results: Results) -> Iterator[dict[str, Any]]:
    """The candidates of a search, with the score that each had on the source's validation part."""
    if not isinstance(one.cell, Tuned):
        return
    scores = [results[candidate].validation for candidate in one.cell.candidates]
    best = scores.index(max(scores))
    for number, (candidate, score) in enumerate(zip(one.cell.candidates, scores, strict=True)):
        about = {"task": one.setup.label, "condition": one.name, "draw": number + 1, "method": candidate.method}
        about |= {head: getattr(candidate.settings, name) for head, name in SEARCHED.items()}
        yield {**about, "validation": 100 * score, "chosen": number == best}
