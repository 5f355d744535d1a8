"""A choice as its answer reads it: what each model finds, sentence by sentence, so that models compare in pairs."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isogloss.geometry.storage import read_arrays
from isogloss.probes.statistics import Estimate
from isogloss.probes.statistics.verdicts import Lead, lead
from isogloss.studies.choose.cells import FILE, KIND, Suited
from isogloss.studies.choose.config import Config
from isogloss.studies.choose.plan import ChooseCondition
from isogloss.studies.columns import tidy
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.comparison import points_over_sentences, spread_frame
from isogloss.studies.study import Results

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SuitedView:
    """One model: its head, and what it found (columns x languages x sentences) on both parts of the sentences."""

    name: str
    record: Suited
    found: Floats

    @property
    def counted(self) -> list[int]:
        """The languages that an average is over: where a classifier was trained in one of them, the others."""
        every = range(len(self.record.languages))
        trained = self.record.languages.index(self.record.pivot)
        return [place for place in every if not (self.record.parallel and self.record.fitted and place == trained)]

    def by_sentence(self, column: int) -> Floats:
        """What is measured, one value per sentence: the mean over languages."""
        return np.asarray(self.found[column][self.counted, self.record.chosen :].mean(axis=0))

    @cached_property
    def choosing(self) -> list[float]:
        """The mean of every column on the sentences that serve to choose."""
        part = self.found[:, self.counted, : self.record.chosen]
        return [float(value) for value in part.mean(axis=(1, 2))]

    @cached_property
    def column(self) -> int:
        """The column that was best on the sentences that serve to choose; the later of equal ones."""
        return max(range(len(self.choosing)), key=lambda place: (self.choosing[place], place))

    @property
    def memory(self) -> int:
        """Bytes of the weights, and of what encoding a batch takes beside them."""
        return self.record.weight_bytes + self.record.working_bytes

    @property
    def output(self) -> int | None:
        """The number of the output's column."""
        return len(self.record.columns) - 1 if self.record.columns[-1] == "output" else None

    def named(self, column: int) -> str:
        """``layer 9``, ``output``, ``embedding``."""
        return self.record.columns[column]

    def score(self, column: int | None = None) -> Estimate:
        """In points, over sentences; at the chosen column unless another is named."""
        return points_over_sentences(self.by_sentence(self.column if column is None else column))

    def gap(self, one: int, other: int) -> Estimate:
        """One column against another, on the same sentences."""
        return points_over_sentences(self.by_sentence(one) - self.by_sentence(other))

    def ties(self) -> Lead:
        """The chosen column, and those that are not told from it."""
        scores = {place: self.score(place) for place in range(len(self.record.columns))}
        return lead(scores, self.gap, best=self.column)

    def language(self, code: str, column: int | None = None) -> Estimate:
        """One language's score."""
        place = self.record.languages.index(code)
        return points_over_sentences(self.found[self.column if column is None else column][place, self.record.chosen :])

    def lag(self, code: str) -> Estimate:
        """A language against the mean of the other languages, on the same sentences."""
        place = self.record.languages.index(code)
        rows = self.found[self.column][:, self.record.chosen :]
        others = [other for other in self.counted if other != place]
        return points_over_sentences(rows[place] - rows[others].mean(axis=0))


@dataclass(frozen=True, eq=False)
class ChooseView:
    """The models side by side, on the same sentences."""

    models: tuple[SuitedView, ...]
    purpose: str
    data: str

    @property
    def parallel(self) -> bool:
        return self.models[0].record.parallel

    @property
    def languages(self) -> tuple[str, ...]:
        return self.models[0].record.languages

    @cached_property
    def best(self) -> SuitedView:
        """The model that was best on the sentences that serve to choose."""
        return max(self.models, key=lambda one: one.choosing[one.column])

    def gap(self, one: SuitedView, other: SuitedView) -> Estimate:
        """Two models at their chosen columns, on the same sentences."""
        return points_over_sentences(one.by_sentence(one.column) - other.by_sentence(other.column))

    @cached_property
    def lead(self) -> Lead:
        """The best model, and those that are not told from it."""
        named = {one.name: one for one in self.models}
        scores = {name: one.score() for name, one in named.items()}
        return lead(scores, lambda a, b: self.gap(named[a], named[b]), best=self.best.name)

    @property
    def what(self) -> str:
        """What the score is, as a clause after a percentage."""
        if not self.parallel:
            return "of sentences are assigned to their language"
        if self.purpose == "retrieval":
            return "of translations are found"
        return "of sentences in other languages get the right topic"

    def records(self) -> pd.DataFrame:
        """A row per model, column and language, and the mean over languages."""
        rows = []
        for one in self.models:
            for place, column in enumerate(one.record.columns):
                rows.append((one.name, place, column, "", one.score(place)))
                rows += [(one.name, place, column, code, one.language(code, place)) for code in one.record.languages]
        frame = spread_frame(("model", "layer", "condition", "target"), rows)
        measure = self.purpose if self.parallel else "language identity"
        return tidy([frame.assign(measure=measure, unit="points", data=self.data)])


def view_of(plan: StudyPlan[Config, ChooseCondition], results: Results) -> ChooseView:
    """Read what the cells left."""
    models = []
    for condition in plan.conditions:
        arrays, _ = read_arrays(results.folder(condition.cell) / FILE, KIND)
        models.append(SuitedView(condition.name, results[condition.cell], arrays["found"].astype(np.float64)))
    return ChooseView(tuple(models), plan.config.purpose, plan.config.data)
