"""A finished alignment study as its answer reads it: measures by couple, layer and seed; layers chosen beforehand."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from isogloss.probes.statistics import Correlation, Estimate, pearson
from isogloss.studies import columns
from isogloss.studies.align.cells import sentences, task_transfer, words
from isogloss.studies.align.cells.sentences import AS_IS, HELD_OUT, MAPPED
from isogloss.studies.align.cells.words import CONTEXT, ENTRIES, WordRecord
from isogloss.studies.align.config import Config
from isogloss.studies.align.plan import AlignCondition, AlignTaskCondition, Couple
from isogloss.studies.align.plan.couples import APART, BILINGUAL, KINDS, TITLES
from isogloss.studies.columns import tidy
from isogloss.studies.figure import SPREAD
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.comparison import compare, scaled, spread
from isogloss.studies.shared.pretraining import Pretraining
from isogloss.studies.shared.scores import pick
from isogloss.studies.study import Results

WAYS = {
    (APART, task_transfer.MAPPED): "trained apart, mapped",
    (BILINGUAL, task_transfer.AS_IS): "bilingual",
    (BILINGUAL, task_transfer.MAPPED): "bilingual, mapped",
    (APART, task_transfer.AS_IS): "trained apart, no map",
    (APART, task_transfer.HOME): "source language",
}


@dataclass(frozen=True, eq=False)
class AlignView:
    """``words``: target, seed, what (which vectors), layer, measure, value, ... ``sentences``: condition (kind of
    couple), target, seed, layer, measure, size, value, ... ``scores``: task, condition, target, seed, layer, what (how
    the score came about), measure, value, ... Values are shares. ``encoders``: what pretraining says of itself.
    ``outputs``: as ``sentences``, of couples of pipelines, at their outputs; its layer is the one after the last.
    """

    words: pd.DataFrame
    sentences: pd.DataFrame
    scores: pd.DataFrame
    validation: pd.DataFrame
    encoders: pd.DataFrame
    word_records: dict[str, WordRecord]
    source: str
    similarity: tuple[str, ...]
    outputs: pd.DataFrame = field(default_factory=pd.DataFrame)

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
        return _distinct(self.sentences, "condition", "target")

    @property
    def targets(self) -> list[str]:
        """The languages whose sentences were compared in encoders trained apart."""
        return [target for kind, target in self.pairs() if kind == APART]

    def groups(self) -> list[tuple[str, str]]:
        """Task and target language."""
        return _distinct(pick(self.scores, what=task_transfer.MAPPED), "task", "target")

    def pair(self, target: str) -> str:
        """What the source and this target are called together: ``en-fr``."""
        return f"{self.source}-{target}"

    def word_rows(self, target: str, vectors: str, layer: int = -1, measure: str = "csls") -> pd.DataFrame:
        return pick(self.words, target=target, what=vectors, layer=layer, measure=measure)

    def has_entries(self, target: str) -> bool:
        """Whether both vocabularies hold enough whole words of the dictionary."""
        return len(self.word_rows(target, ENTRIES)) > 0

    def word_layer(self, target: str) -> int:
        """The layer whose words translate best on entries held out of those that the map is learnt from."""
        return best_layer(pick(self.words, target=target, what=CONTEXT, measure="csls, held out"))

    def found(
        self, kind: str, target: str, layer: int | None = None, measure: str = MAPPED, size: int | None = None
    ) -> pd.DataFrame:
        """Rows of the sentence level; retrieval is that of the largest map unless a size is named."""
        return of_size(pick(self.sentences, condition=kind, target=target, measure=measure, **_only(layer)), size)

    def output(self, kind: str, target: str, measure: str = MAPPED) -> pd.DataFrame:
        """The same at the outputs of two pipelines; no rows where there are none."""
        return of_size(pick(self.outputs, condition=kind, target=target, measure=measure))

    def sentence_layer(self, kind: str, target: str) -> int:
        """The layer whose sentences are found best among those held out of the map's."""
        return best_layer(self.found(kind, target, measure=HELD_OUT))

    def score_rows(self, task: str, kind: str, target: str, how: str, layer: int | None = None) -> pd.DataFrame:
        return pick(self.scores, task=task, condition=kind, target=target, what=how, **_only(layer))

    def transfer(self) -> pd.DataFrame:
        """Scores in points by task and layer, at home and abroad: task, languages, encoders, layer, value, ..."""
        rows = [
            (task, self.pair(target), name, *found)
            for task, target in self.groups()
            for (kind, how), name in WAYS.items()
            for found in by_layer(self.score_rows(task, kind, target, how))
        ]
        return pd.DataFrame(rows, columns=["task", "languages", "encoders", "layer", *SPREAD])

    def by_couple(self, *measures: str, scale: float = 100.0) -> pd.DataFrame:
        """Measures of sentences by couple and layer, a pipeline's output last: condition, target, measure, languages,
        encoders, layer, head (``layer 3``, ``output``), value, ..."""
        rows: list[tuple[Any, ...]] = []
        for (kind, target), measure in product(self.pairs(), measures):
            names = (kind, target, measure, self.pair(target), TITLES[kind] + (", no map" if measure == AS_IS else ""))
            inside, ends = self.found(kind, target, measure=measure), self.output(kind, target, measure)
            rows += [(*names, layer, f"layer {layer}", *found) for layer, *found in by_layer(inside, scale)]
            rows += [(*names, layer, "output", *found) for layer, *found in by_layer(ends, scale)]
        about = ["condition", "target", "measure", "languages", "encoders", "layer", "head"]
        return pd.DataFrame(rows, columns=[*about, *SPREAD])

    def task_layer(self, task: str, kind: str, target: str) -> int:
        """The layer that task layers do best on by the source's validation part."""
        return best_layer(pick(self.validation, task=task, condition=kind, target=target))

    def correlation(self, target: str, kinds: Sequence[str] = ()) -> Correlation:
        """CKA and retrieval after the map, over layers and seeds of the couples of these kinds, or of all kinds."""
        kinds = kinds or [kind for kind, other in self.pairs() if other == target]
        joined = pd.concat([self.both(kind, target) for kind in kinds], ignore_index=True)
        return pearson(joined["cka"], joined["retrieval"])

    def both(self, kind: str, target: str) -> pd.DataFrame:
        """seed, layer, cka, retrieval of a couple."""
        keys = ["seed", "layer"]
        alike = self.found(kind, target, measure=self.shown).set_index(keys)["value"].rename("cka")
        found = self.found(kind, target).set_index(keys)["value"].rename("retrieval")
        return pd.concat([alike, found], axis=1).dropna().reset_index().assign(condition=kind, target=target)

    def records(self) -> pd.DataFrame:
        """Measures of words and sentences, then scores of tasks; ``what`` says which vectors, or how it came about."""
        at_home = self.scores.index.isin(pick(self.scores, what=task_transfer.HOME).index)
        parts = (
            self.words.assign(level="words"),
            self.sentences.assign(level="sentences"),
            self.outputs.assign(level="sentences", what="output"),
            self.scores.assign(level="tasks", side=np.where(at_home, columns.HOME, columns.ABROAD)),
            self.validation.assign(level="tasks", side=columns.HOME),
        )
        frame = tidy(parts, extra=("side", "level", "what", "size"))
        unit = np.where(frame["measure"].str.startswith("cka_"), "CKA", "share")
        return frame.assign(source=self.source, unit=unit)


def _distinct(frame: pd.DataFrame, *names: str) -> list[Any]:
    """Which values these columns have together, in the order of the rows."""
    return list(frame[list(names)].drop_duplicates().itertuples(index=False, name=None)) if len(frame) else []


def _only(layer: int | None) -> dict[str, int]:
    return {} if layer is None else {"layer": layer}


def of_size(rows: pd.DataFrame, size: int | None = None) -> pd.DataFrame:
    """Rows of the largest map, or of one that is learnt from ``size`` sentences."""
    return pick(rows, size=rows["size"].max() if size is None else size) if len(rows) else rows


def best_layer(rows: pd.DataFrame) -> int:
    """The layer with the highest mean over seeds; of equals the lowest. A layer without a value (CKA where all
    sentences have the same vector) is not chosen."""
    means = rows.groupby("layer")["value"].mean().fillna(-math.inf)
    return int(means.index[int(np.argmax(means.to_numpy()))])


def mean_of(rows: pd.DataFrame, scale: float = 100.0) -> Estimate:
    """The mean over seeds with its interval; of one seed the interval over words or sentences."""
    if not len(rows):
        return Estimate(math.nan, math.nan, math.nan, 0)
    if len(rows) == 1:
        value, low, high = (scale * float(rows[name].iloc[0]) for name in ("value", "low", "high"))
        return Estimate(value, low, high, int(rows["n"].iloc[0]))
    return spread(scale * rows.groupby("seed")["value"].mean().to_numpy()[:, None])


def by_layer(rows: pd.DataFrame, scale: float = 100.0) -> Iterator[tuple[int, float, float, float, int]]:
    """Each layer with its mean, low, high and n."""
    for layer in sorted(rows["layer"].unique()) if len(rows) else ():
        yield layer, *mean_of(rows[rows["layer"] == layer], scale).columns()


def layer_means(rows: pd.DataFrame) -> pd.DataFrame:
    """A row per seed: the mean over layers."""
    means = rows.groupby("seed", as_index=False).agg(value=("value", "mean"), n=("n", "first"))
    return means.assign(low=math.nan, high=math.nan)


def gap(first: pd.DataFrame, second: pd.DataFrame, scale: float = 100.0) -> Estimate:
    """The difference of means, over the seeds that both have; one seed has no interval."""
    found = compare(*(rows.assign(data="", target="") for rows in (first, second))).estimate
    return scaled(found, scale / 100)


def view_of(plan: StudyPlan[Config, AlignCondition | AlignTaskCondition], results: Results) -> AlignView:
    """Read what the cells left."""
    of_words, of_sentences, outputs, word_records = [], [], [], {}
    tasks = [one for one in plan.conditions if isinstance(one, AlignTaskCondition)]
    for condition in (one for one in plan.conditions if isinstance(one, AlignCondition)):
        if (cell := condition.words) is not None:
            frame = pd.read_parquet(results.folder(cell) / words.FILE)
            frame = frame.rename(columns={"vectors": "what", "pairs": "size"})
            of_words.append(frame.assign(**_names(condition.couple), data=cell.lexicon.name))
            word_records[condition.couple.target] = results[cell]
        if (measured := condition.sentences) is not None:
            frame = pd.read_parquet(results.folder(measured) / sentences.FILE)
            frame = frame.assign(**_names(condition.couple), data=measured.tested.data)
            hidden = frame["layer"] < results[measured].layers[0]
            of_sentences.append(frame[hidden])
            outputs += [] if hidden.all() else [frame[~hidden]]
    return AlignView(
        words=_below_each_other(of_words),
        sentences=_ordered(_below_each_other(of_sentences)),
        scores=pd.DataFrame([row for one in tasks for row in _scores(one, results)]),
        validation=pd.DataFrame([row for one in tasks for row in _validation(one, results)]),
        encoders=pd.DataFrame([_encoder(cell, results) for cell in plan.all_cells if isinstance(cell, Pretraining)]),
        word_records=word_records,
        source=plan.config.source,
        similarity=plan.config.similarity,
        outputs=_below_each_other(outputs),
    )


def _below_each_other(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def _names(couple: Couple) -> dict[str, Any]:
    model = " and ".join(dict.fromkeys(model.label() for model in (couple.source_model, couple.target_model)))
    return {"condition": couple.kind, "target": couple.target, "seed": couple.seed, "model": model}


def _ordered(frame: pd.DataFrame) -> pd.DataFrame:
    """Targets in the study's order with the couples of each in a fixed one; an encoder and its twin come last."""
    if not len(frame):
        return frame
    apart = frame.loc[frame["condition"] == APART, "target"]
    order = {"target": list(dict.fromkeys([*apart, *frame["target"]])), "condition": list(KINDS)}
    places = pd.DataFrame({name: frame[name].map(values.index) for name, values in order.items()})
    return frame.loc[places.sort_values(list(order), kind="stable").index].reset_index(drop=True)


def _task_names(condition: AlignTaskCondition, couple: Couple) -> dict[str, Any]:
    setup = condition.setup
    about = {"task": setup.label, "layer": condition.layer, "size": 0, "seed": condition.seed}
    return {**_names(couple), **about, "data": setup.test_data or setup.data}


def _scores(condition: AlignTaskCondition, results: Results) -> Iterator[dict[str, Any]]:
    """Rows by the target's name in the settings; the score at home stands with every target."""
    couples = {data.language: couple for data, couple in zip(condition.cell.abroad, condition.couples, strict=True)}
    for score in results[condition.cell].scores:
        numbers = asdict(score)
        language, what = numbers.pop("language"), numbers.pop("how")
        for couple in (couples[language],) if language in couples else condition.couples:
            yield {**numbers, **_task_names(condition, couple), "what": what}


def _validation(condition: AlignTaskCondition, results: Results) -> Iterator[dict[str, Any]]:
    """The score on the source's validation part, which chooses the layer."""
    value = results[condition.cell].validation
    for couple in condition.couples:
        yield {**_task_names(condition, couple), "what": "validation", "measure": "validation", "value": value, "n": 1}


def _encoder(cell: Pretraining, results: Results) -> dict[str, Any]:
    found = results[cell]
    said = ", ".join(f"{code} {value:.1f}" for code, value in found.perplexity.items())
    about = {"languages": " and ".join(cell.languages), "seed": cell.recipe.seed, "steps": found.steps}
    return {**about, "perplexity": said, "warnings": "; ".join(found.warnings)}
