"""An emergence study as its answer reads it: scores by pair, condition, seed and task; paired differences."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from isogloss.probes.statistics import Estimate
from isogloss.studies.emerge.conditions import CONDITIONS, DEFAULT, Condition
from isogloss.studies.emerge.config import Config
from isogloss.studies.emerge.meeting import RETRIEVAL, read_meeting
from isogloss.studies.emerge.plan import Trial
from isogloss.studies.shared.comparison import compare, level
from isogloss.studies.shared.models import Untrained
from isogloss.studies.study import Results
from isogloss.transfer import score_frame

SOURCE, TARGET = "source", "target"
CKA, UNBIASED = "cka", "unbiased"
LAYERS = ["pool", "layer", "measure", "value", "n", "choice"]


@dataclass(frozen=True, eq=False)
class View:
    """``scores``: a row a pair, condition, seed, task and role (source or target), of the task's main measure;
    retrieval and CKA are tasks too. ``layers``: both by layer. ``encoders``: what pretraining says of itself.
    """

    scores: pd.DataFrame
    layers: pd.DataFrame
    encoders: pd.DataFrame
    conditions: tuple[Condition, ...]
    pairs: tuple[str, ...]
    tasks: tuple[str, ...]  # that were fine-tuned for
    measures: dict[str, str]
    depth: int
    pools: tuple[str, ...]

    @property
    def whole_pairs(self) -> tuple[str, ...]:
        """The pairs that have every condition: means over pairs are over these, so that rows can be compared."""
        names = {condition.name for condition in self.conditions}
        has = self.scores.groupby("pair")["condition"].agg(set)
        return tuple(pair for pair in self.pairs if has[pair] >= names) or self.pairs

    @property
    def columns(self) -> tuple[str, ...]:
        """What a table shows: the tasks, then retrieval where there is parallel text."""
        return (*self.tasks, RETRIEVAL) if (self.scores["task"] == RETRIEVAL).any() else self.tasks

    def label(self, name: str) -> str:
        return CONDITIONS[name].label(self.depth)

    def others(self, *groups: str) -> Iterator[Condition]:
        """The conditions but the default, of these groups."""
        yield from (one for one in self.conditions if one.name != DEFAULT and (not groups or one.group in groups))

    def has(self, *names: str) -> bool:
        return {condition.name for condition in self.conditions} >= set(names)

    def of(self, condition: str, tasks: Sequence[str], pairs: Sequence[str], role: str = TARGET) -> pd.DataFrame:
        rows = self.scores
        chosen = (rows["condition"] == condition) & rows["task"].isin(list(tasks)) & rows["pair"].isin(list(pairs))
        return rows[chosen & (rows["role"] == role)]

    def level(
        self, condition: str, tasks: Sequence[str], pairs: Sequence[str] | None = None, role: str = TARGET
    ) -> Estimate:
        """The mean over tasks, pairs and seeds, in points."""
        return level(self.of(condition, tasks, self.whole_pairs if pairs is None else pairs, role))

    def gain(
        self,
        condition: str,
        tasks: Sequence[str],
        pairs: Sequence[str] | None = None,
        over: str = DEFAULT,
        role: str = TARGET,
    ) -> Estimate:
        """How many points a condition is above another, paired by seed, over the same tasks and pairs."""
        among = self.whole_pairs if pairs is None else pairs
        return compare(self.of(condition, tasks, among, role), self.of(over, tasks, among, role)).estimate

    def profile(self, measure: str, pool: str) -> pd.DataFrame:
        """A measure by layer on a pool, as it is shown: pair, condition, layer, seed, value, n."""
        rows = self.layers
        return rows[(rows["measure"] == measure) & (rows["pool"] == pool) & ~rows["choice"]]

    @property
    def cka_kind(self) -> str:
        """The kind that is shown: the unbiased one where it was measured."""
        kinds = [name for name in self.layers["measure"].unique() if name.startswith("cka_")]
        return f"cka_{UNBIASED}" if f"cka_{UNBIASED}" in kinds else kinds[0]


def view_of(config: Config, found: Sequence[Trial], results: Results) -> View:
    """Read what the cells left."""
    layers = pd.concat([_layers(trial, results) for trial in found], ignore_index=True)
    scores = [_scores(trial, results) for trial in found]
    if len(layers):
        scores += [meeting_scores(layers, config.pools)]
    names = {trial.condition.name for trial in found}
    return View(
        scores=pd.concat(scores, ignore_index=True),
        layers=layers,
        encoders=pd.DataFrame([_encoder(trial, results) for trial in found]),
        conditions=tuple(condition for name, condition in CONDITIONS.items() if name in names),
        pairs=tuple(pair.label for pair in config.pairs),
        tasks=tuple(setup.label for setup in config.tasks),
        measures={setup.label: setup.measure for setup in config.tasks},
        depth=config.pretraining().model.layers,
        pools=config.pools,
    )


def _names(trial: Trial) -> dict[str, Any]:
    return {"pair": trial.pair.label, "condition": trial.condition.name, "seed": trial.seed}


def _scores(trial: Trial, results: Results) -> pd.DataFrame:
    frames = []
    for setup, cell in trial.tasks:
        frame = score_frame(results[cell].scores, **_names(trial), task=setup.label)
        main = frame[frame["main"]].drop(columns=["main", "data"]).rename(columns={"language": "target"})
        role = np.where(main["target"] == cell.sources[0], SOURCE, TARGET)
        frames.append(main.assign(role=role, data=f"{trial.pair.label}/{setup.label}"))
    return pd.concat(frames, ignore_index=True)


def _layers(trial: Trial, results: Results) -> pd.DataFrame:
    if trial.meeting is None:
        return pd.DataFrame(columns=["pair", "condition", "seed", *LAYERS])
    return read_meeting(results.folder(trial.meeting))[LAYERS].assign(**_names(trial))


def meeting_scores(layers: pd.DataFrame, pools: Sequence[str]) -> pd.DataFrame:
    """Retrieval at the layer that other sentences choose (first pool), and mean CKA over layers (last pool)."""
    rows = []
    for names, part in layers.groupby(["pair", "condition", "seed"], sort=False):
        found = part[(part["measure"] == RETRIEVAL) & (part["pool"] == pools[0])]
        best = chosen_layer(found[found["choice"]])
        shown = found[~found["choice"] & (found["layer"] == best)].iloc[0]
        rows.append((*names, RETRIEVAL, shown["value"], shown["n"], RETRIEVAL))
        for measure, values in part[(part["pool"] == pools[-1]) & ~part["choice"]].groupby("measure", sort=False):
            if str(measure).startswith("cka_"):
                rows.append((*names, measure, values["value"].mean(), values["n"].iloc[0], measure))
    frame = pd.DataFrame(rows, columns=["pair", "condition", "seed", "task", "value", "n", "measure"])
    return frame.assign(role=TARGET, target="", data=frame["pair"] + "/" + frame["task"], low=np.nan, high=np.nan)


def chosen_layer(rows: pd.DataFrame) -> int:
    """The layer with the best value; of equals the lowest."""
    best = rows.sort_values(["value", "layer"], ascending=[False, True]).iloc[0]
    return int(best["layer"])


def _encoder(trial: Trial, results: Results) -> dict[str, Any]:
    """Perplexity in both languages and what their texts share; an untrained encoder has neither."""
    about: dict[str, Any] = _names(trial)
    if isinstance(trial.model, Untrained):
        return {**about, "steps": 0, "seconds": 0.0}
    record = results[trial.model]
    codes = (trial.pair.source, trial.pair.target)
    perplexity = list(record.perplexity.values())
    return {
        **about,
        "steps": record.steps,
        "seconds": record.seconds,
        "anchors": 100 * float(np.mean(list(record.anchors.values()))),
        **{f"perplexity {role}": value for role, value in zip((SOURCE, TARGET), perplexity, strict=False)},
        "languages": "-".join(codes),
        "warnings": len(record.warnings),
    }
