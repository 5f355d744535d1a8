"""An emergence study as its answer reads it: scores by pair, condition, seed and task; paired differences."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from isogloss.probes.statistics import Estimate
from isogloss.studies.columns import ABROAD, HOME, tidy
from isogloss.studies.emerge.config import Config
from isogloss.studies.emerge.plan import DEFAULT, TREATMENTS, EmergeCondition, Treatment
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.comparison import compare, level
from isogloss.studies.shared.meeting import RETRIEVAL, met_scores, read_meeting
from isogloss.studies.shared.models import Untrained
from isogloss.studies.shared.setups import Setup
from isogloss.studies.study import Results
from isogloss.transfer import FineTune, score_frame

UNBIASED = "cka_unbiased"
NAMES = ["pair", "condition", "seed"]
ABOUT = [*NAMES, "model", "source", "target"]  # what rows of one condition have in common
BEST_TWO = ", best two"  # after a task's name: the mean of the two settings that the source's validation part chooses
TRIED = [*ABOUT, "task", "side", "data", "text", "measure"]  # what scores of one test in several settings share
LAYERS = ["pool", "layer", "measure", "value", "n", "choice", "text"]


@dataclass(frozen=True, eq=False)
class EmergeView:
    """``scores``: a row per pair, condition, seed, task and side (home: the source language; abroad: the target) of
    the task's main measure. Retrieval, CKA and, after a search, the best two settings of a task are tasks too.
    ``data`` is what is compared: a pair and a task.
    ``layers``: both by layer. ``encoders``: what pretraining says of itself.
    """

    scores: pd.DataFrame
    layers: pd.DataFrame
    encoders: pd.DataFrame
    treatments: tuple[Treatment, ...]
    pairs: tuple[str, ...]
    tasks: tuple[str, ...]  # that were fine-tuned for
    depth: int
    pools: tuple[str, ...]

    @property
    def whole_pairs(self) -> tuple[str, ...]:
        """The pairs that have every condition: means over pairs are over these, so that rows can be compared."""
        names = {one.name for one in self.treatments}
        has = self.scores.groupby("pair")["condition"].agg(set)
        return tuple(pair for pair in self.pairs if has[pair] >= names) or self.pairs

    @property
    def columns(self) -> tuple[str, ...]:
        """What a table shows: the tasks, each with its best two settings after a search; then retrieval where there is
        parallel text.
        """
        has = {*self.tasks, *self.scores["task"]}
        wanted = (*(name for task in self.tasks for name in (task, task + BEST_TWO)), RETRIEVAL)
        return tuple(name for name in wanted if name in has)

    @property
    def searched(self) -> tuple[str, ...]:
        """The tasks that have the mean of their best two settings."""
        return tuple(task for task in self.tasks if task + BEST_TWO in self.columns)

    def label(self, name: str) -> str:
        return TREATMENTS[name].label(self.depth)

    def others(self, *groups: str) -> Iterator[Treatment]:
        """The treatments but the default, of these groups."""
        yield from (one for one in self.treatments if one.name != DEFAULT and (not groups or one.group in groups))

    def has(self, *names: str) -> bool:
        return {one.name for one in self.treatments} >= set(names)

    def of(self, condition: str, tasks: Sequence[str], pairs: Sequence[str], side: str = ABROAD) -> pd.DataFrame:
        rows = self.scores
        chosen = (rows["condition"] == condition) & rows["task"].isin(list(tasks)) & rows["pair"].isin(list(pairs))
        return rows[chosen & (rows["side"] == side)]

    def level(
        self, condition: str, tasks: Sequence[str], pairs: Sequence[str] | None = None, side: str = ABROAD
    ) -> Estimate:
        """The mean over tasks, pairs and seeds, in points."""
        return level(self.of(condition, tasks, self.whole_pairs if pairs is None else pairs, side))

    def levels(
        self, condition: str, tasks: Sequence[str], pairs: Sequence[str] | None = None, side: str = ABROAD
    ) -> dict[str, Estimate]:
        """The same for every task on its own."""
        return {task: self.level(condition, (task,), pairs, side) for task in tasks}

    def gain(
        self, condition: str, tasks: Sequence[str], pairs: Sequence[str] | None = None, over: str = DEFAULT
    ) -> Estimate:
        """How many points a condition is above another, paired by seed, over the same tasks and pairs."""
        among = self.whole_pairs if pairs is None else pairs
        return compare(self.of(condition, tasks, among), self.of(over, tasks, among)).estimate

    def profile(self, measure: str, pool: str) -> pd.DataFrame:
        """A measure by layer on a pool, as it is shown: pair, condition, layer, seed, value, n."""
        rows = self.layers
        return rows[(rows["measure"] == measure) & (rows["pool"] == pool) & ~rows["choice"]]

    @property
    def cka_kind(self) -> str:
        """The kind that is shown: the unbiased one where it was measured."""
        kinds = [name for name in self.layers["measure"].unique() if name.startswith("cka_")]
        return UNBIASED if UNBIASED in kinds else kinds[0]

    def records(self) -> pd.DataFrame:
        """Scores of tasks in both languages; retrieval and CKA of every layer and pool."""
        scores = self.scores.assign(data=self.scores["text"])
        layers = self.layers.assign(task=self.layers["measure"], data=self.layers["text"])
        layers.loc[layers["choice"].astype(bool), "measure"] += ", for the choice of a layer"
        frame = tidy((scores, layers), extra=("side", "pair", "pool"))
        return frame.assign(unit=np.where(frame["measure"].str.startswith("cka_"), "CKA", "share"))


def view_of(plan: StudyPlan[Config, EmergeCondition], results: Results) -> EmergeView:
    """Read what the cells left."""
    config, found = plan.config, plan.conditions
    layers = pd.concat([_layers(condition, results) for condition in found], ignore_index=True)
    scores = [_task_scores(one, setup, cell, results) for one in found for setup, cell in one.tasks]
    tried = [part for one in found for part in _tried(one, results)]
    if len(layers):
        scores += [meeting_scores(layers, config.text_pools)]
    if tried:
        scores += [best_two(pd.concat(tried, ignore_index=True))]
    names = {condition.treatment.name for condition in found}
    return EmergeView(
        scores=pd.concat(scores, ignore_index=True),
        layers=layers,
        encoders=pd.DataFrame([_encoder(condition, results) for condition in found]),
        treatments=tuple(treatment for name, treatment in TREATMENTS.items() if name in names),
        pairs=tuple(pair.label for pair in config.pairs),
        tasks=tuple(setup.label for setup in config.tasks),
        depth=config.pretraining().model.layers,
        pools=config.text_pools,
    )


def _about(condition: EmergeCondition) -> dict[str, Any]:
    pair = condition.pair
    values = (pair.label, condition.treatment.name, condition.seed, condition.model.label(), pair.source, pair.target)
    return dict(zip(ABOUT, values, strict=True))


def _task_scores(condition: EmergeCondition, setup: Setup, cell: FineTune, results: Results) -> pd.DataFrame:
    frame = score_frame(results[cell].scores, task=setup.label)
    main = frame[frame["main"]].drop(columns="main").rename(columns={"language": "target", "data": "text"})
    side = np.where(main["target"] == cell.sources[0], HOME, ABROAD)
    about = {**_about(condition), "target": main["target"]}
    return main.assign(**about, side=side, data=f"{condition.pair.label}/{setup.label}")


def _tried(condition: EmergeCondition, results: Results) -> Iterator[pd.DataFrame]:
    """The scores of every setting that was tried, with its number and its score on the source's validation part."""
    for number, (setup, cell) in enumerate(condition.tried):
        scores = _task_scores(condition, setup, cell, results)
        yield scores.assign(setting=number, validation=results[cell].validation)


def best_two(tried: pd.DataFrame) -> pd.DataFrame:
    """The mean of the two settings with the highest ``validation``, per pair, condition, seed and task (Wu20 section
    3.2); of equals the first. Test scores choose nothing.
    """
    group = [*NAMES, "task"]
    settings = tried[[*group, "setting", "validation"]].drop_duplicates()
    ordered = settings.sort_values("validation", ascending=False, kind="stable")
    chosen = tried.merge(ordered.groupby(group).head(2)[[*group, "setting"]])
    means = chosen.groupby(TRIED, sort=False, dropna=False).agg(value=("value", "mean"), n=("n", "first")).reset_index()
    return means.assign(task=means["task"] + BEST_TWO, data=means["data"] + BEST_TWO)


def _layers(condition: EmergeCondition, results: Results) -> pd.DataFrame:
    if condition.meeting is None:
        return pd.DataFrame(columns=[*ABOUT, *LAYERS])
    frame = read_meeting(results.folder(condition.meeting)).assign(text=condition.meeting.texts[0].data)
    return frame[LAYERS].assign(**_about(condition))


def meeting_scores(layers: pd.DataFrame, pools: Sequence[str]) -> pd.DataFrame:
    """Retrieval at the layer that other sentences choose (first pool), and mean CKA over layers (last pool)."""
    rows = []
    for (pair, *_), part in layers.groupby(NAMES, sort=False):
        about: dict[Any, Any] = part[[name for name in (*ABOUT, "text") if name in part]].iloc[0].to_dict()
        for one in met_scores(part, pools):
            known = {name: value for name, value in asdict(one).items() if value is not None}
            rows.append({**about, **known, "task": one.measure, "data": f"{pair}/{one.measure}"})
    return pd.DataFrame(rows).assign(side=ABROAD)


def _encoder(condition: EmergeCondition, results: Results) -> dict[str, Any]:
    """Perplexity in both languages and what their texts share; an untrained encoder has neither."""
    about = {name: value for name, value in _about(condition).items() if name in NAMES}
    if isinstance(condition.model, Untrained):
        return {**about, "steps": 0, "seconds": 0.0}
    record = results[condition.model]
    names = ("perplexity source", "perplexity target")
    about |= {"steps": record.steps, "seconds": record.seconds}
    about |= {"anchors": 100 * float(np.mean(list(record.anchors.values())))}
    return about | dict(zip(names, record.perplexity.values(), strict=False))
