"""A finished alignment study as its answer reads it: measures by couple, layer and seed; layers chosen beforehand."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from isogloss.probes.statistics import Correlation, Estimate, pearson
from isogloss.studies.align.config import Config
from isogloss.studies.align.couples import AGAIN, APART, KINDS, Couple
from isogloss.studies.align.crossing import MAPPED as MAPPED_TASK
from isogloss.studies.align.plan import Crossed, Plan
from isogloss.studies.align.sentence_level import HELD_OUT, MAPPED, read_sentences
from isogloss.studies.align.word_level import CONTEXT, ENTRIES, WordRecord, read_words
from isogloss.studies.shared.comparison import spread
from isogloss.studies.study import Results


@dataclass(frozen=True, eq=False)
class View:
    """``words``: target, seed, vectors, layer, measure, value, ... ``sentences``: kind, target, seed, layer, measure,
    size, value, ... ``scores``: task, kind, target, seed, layer, how, measure, value, ... Values are shares."""

    words: pd.DataFrame
    sentences: pd.DataFrame
    scores: pd.DataFrame
    validation: pd.DataFrame
    word_records: dict[str, WordRecord]
    source: str
    similarity: tuple[str, ...]

    @property
    def shown(self) -> str:
        """The kind of CKA that is shown."""
        return f"cka_{self.similarity[0]}"

    @property
    def one_seed(self) -> bool:
        """Whether encoders have one seed only."""
        return all(frame["seed"].nunique() == 1 for frame in (self.words, self.sentences) if len(frame))

    def pairs(self) -> list[tuple[str, str]]:
        """Kind of couple and target language that sentences were compared for, the study's order."""
        frame = self.sentences
        return list(dict.fromkeys(zip(frame["kind"], frame["target"], strict=True))) if len(frame) else []

    def groups(self) -> list[tuple[str, str]]:
        """Task and target language."""
        abroad = self.scores[self.scores["how"] == MAPPED_TASK] if len(self.scores) else self.scores
        return list(dict.fromkeys(zip(abroad["task"], abroad["target"], strict=True))) if len(abroad) else []

    def word_rows(self, target: str, vectors: str, layer: int = -1, measure: str = "csls") -> pd.DataFrame:
        return pick(self.words, target=target, vectors=vectors, layer=layer, measure=measure)

    def has_entries(self, target: str) -> bool:
        """Whether both vocabularies hold enough whole words of the dictionary."""
        return len(self.word_rows(target, ENTRIES)) > 0

    def word_layer(self, target: str) -> int:
        """The layer whose words translate best on entries held out of those that the map is learnt from."""
        return best_layer(pick(self.words, target=target, vectors=CONTEXT, measure="csls, held out"))

    def found(
        self, kind: str, target: str, layer: int | None = None, measure: str = MAPPED, size: int | None = None
    ) -> pd.DataFrame:
        """Rows of the sentence level; retrieval is that of the largest map unless a size is named."""
        rows = pick(self.sentences, kind=kind, target=target, measure=measure)
        if layer is not None:
            rows = rows[rows["layer"] == layer]
        wanted = rows["size"].max() if size is None else size
        return rows[rows["size"] == wanted] if len(rows) else rows

    def sentence_layer(self, kind: str, target: str) -> int:
        """The layer whose sentences are found best among those held out of the map's."""
        return best_layer(self.found(kind, target, measure=HELD_OUT))

    def score_rows(self, task: str, kind: str, target: str, how: str, layer: int | None = None) -> pd.DataFrame:
        rows = pick(self.scores, task=task, kind=kind, target=target, how=how)
        return rows if layer is None else rows[rows["layer"] == layer]

    def task_layer(self, task: str, kind: str, target: str) -> int:
        """The layer that task layers do best on by the source's validation part."""
        return best_layer(pick(self.validation, task=task, kind=kind, target=target))

    def correlation(self, target: str, kinds: Sequence[str]) -> Correlation:
        """CKA and retrieval after the map, over layers and seeds of these couples."""
        joined = pd.concat([self.both(kind, target) for kind in kinds], ignore_index=True)
        return pearson(joined["cka"], joined["retrieval"])

    def both(self, kind: str, target: str) -> pd.DataFrame:
        """seed, layer, cka, retrieval of a couple."""
        keys = ["seed", "layer"]
        alike = self.found(kind, target, measure=self.shown).set_index(keys)["value"].rename("cka")
        found = self.found(kind, target).set_index(keys)["value"].rename("retrieval")
        return pd.concat([alike, found], axis=1).dropna().reset_index().assign(kind=kind, target=target)


def pick(frame: pd.DataFrame, **wanted: Any) -> pd.DataFrame:
    """The rows whose columns have these values."""
    for column, value in wanted.items():
        if not len(frame):
            break
        frame = frame[frame[column] == value]
    return frame


def best_layer(rows: pd.DataFrame) -> int:
    """The layer with the highest mean over seeds; of equals the lowest."""
    means = rows.groupby("layer")["value"].mean()
    return int(means.index[int(np.argmax(means.to_numpy()))])


def level(rows: pd.DataFrame, scale: float = 100.0) -> Estimate:
    """The mean over seeds with its interval; of one seed the interval over words or sentences."""
    if not len(rows):
        return Estimate(math.nan, math.nan, math.nan, 0)
    if rows["seed"].nunique() == 1 and len(rows) == 1:
        value, low, high = (scale * float(rows[name].iloc[0]) for name in ("value", "low", "high"))
        return Estimate(value, low, high, int(rows["n"].iloc[0]))
    return spread(scale * rows.groupby("seed")["value"].mean().to_numpy()[:, None])


def gap(first: pd.DataFrame, second: pd.DataFrame, scale: float = 100.0) -> Estimate:
    """The difference of means, over the seeds that both have; one seed has no interval."""
    means = [rows.groupby("seed")["value"].mean() for rows in (first, second)]
    gaps = scale * (means[0] - means[1]).dropna().to_numpy()
    if len(gaps) < 2:
        return Estimate(float(gaps[0]) if len(gaps) else math.nan, math.nan, math.nan, len(gaps))
    return spread(gaps[:, None])


def view_of(config: Config, plan: Plan, results: Results) -> View:
    """Read what the cells left."""
    words = [read_words(results.folder(cell)).assign(**_names(couple)) for couple, cell in plan.words]
    sentences = [read_sentences(results.folder(cell)).assign(**_names(couple)) for couple, cell in plan.sentences]
    scores = [row for one in plan.crossings for row in _scores(one, results)]
    validation = [
        {**_crossed(one), "target": target, "value": results[one.cell].validation}
        for one in plan.crossings
        for target in one.targets
    ]
    return View(
        words=pd.concat(words, ignore_index=True) if words else pd.DataFrame(),
        sentences=_ordered(pd.concat(sentences, ignore_index=True)) if sentences else pd.DataFrame(),
        scores=pd.DataFrame(scores),
        validation=pd.DataFrame(validation),
        word_records={couple.target: results[cell] for couple, cell in plan.words},
        source=config.source,
        similarity=config.similarity,
    )


def _names(couple: Couple) -> dict[str, Any]:
    return {"kind": couple.kind, "target": couple.target, "seed": couple.seed}


def _ordered(frame: pd.DataFrame) -> pd.DataFrame:
    """Targets in the study's order with the couples of each in a fixed one; an encoder and its twin come last."""
    targets = list(dict.fromkeys(frame.loc[frame["kind"] == APART, "target"]))
    place = {kind: number for number, kind in enumerate(KINDS)}
    ranks = [
        (len(targets) if kind == AGAIN else targets.index(target), place[kind])
        for kind, target in zip(frame["kind"], frame["target"], strict=True)
    ]
    order = sorted(range(len(frame)), key=lambda number: ranks[number])
    return frame.iloc[order].reset_index(drop=True)


def _crossed(one: Crossed) -> dict[str, Any]:
    return {"task": one.setup.label, "kind": one.kind, "seed": one.seed, "layer": one.layer}


def _scores(one: Crossed, results: Results) -> Iterator[dict[str, Any]]:
    """Rows by the target's name in the settings; the score at home stands with every target."""
    record = results[one.cell]
    codes = {data.language: target for data, target in zip(one.cell.abroad, one.targets, strict=True)}
    for score in record.scores:
        for target in (codes[score.language],) if score.language in codes else one.targets:
            yield {**asdict(score), **_crossed(one), "target": target}
