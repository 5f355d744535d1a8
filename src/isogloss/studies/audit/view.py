"""An audit as its answer reads it: what every sentence finds in the pool, as it is and after each treatment."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isogloss.geometry.storage import read_arrays
from isogloss.probes.statistics import Estimate, bootstrap_mean
from isogloss.studies.audit.cells import FILE, FRIENDS, KIND, TREATMENTS, WRONG, Audited
from isogloss.studies.audit.config import Config
from isogloss.studies.audit.plan import AuditCondition
from isogloss.studies.columns import tidy
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.comparison import points_over_sentences, spread_frame
from isogloss.studies.study import Results

Floats = NDArray[np.float64]
AS_IT_IS = TREATMENTS[0]


@dataclass(frozen=True, eq=False)
class AuditedView:
    """One model. ``arrays`` are named TREATMENT/PART (``geometry.mixed_pool.PoolFound``)."""

    name: str
    record: Audited
    arrays: Mapping[str, NDArray[Any]]
    wrong: pd.DataFrame
    friends: pd.DataFrame

    def part(self, name: str, treatment: str = AS_IT_IS) -> NDArray[Any]:
        return self.arrays[f"{treatment}/{name}"]

    @property
    def chance(self) -> float:
        """The share of the pool that is in a query's own language."""
        languages, n = self.part("found").shape
        return float((n - 1) / (languages * n - 1))

    def found(self, treatment: str = AS_IT_IS) -> Estimate:
        """Queries whose nearest sentence in any language is a translation."""
        return points_over_sentences(self.part("found", treatment).mean(axis=0))

    def bias(self, treatment: str = AS_IT_IS) -> Estimate:
        """The share of the nearest ten in the query's own language beyond its share of the pool."""
        return points_over_sentences(self.part("own", treatment).mean(axis=0) - self.chance)

    def change(self, name: str, treatment: str) -> Estimate:
        """What a treatment changes, on the same sentences."""
        return points_over_sentences(self.part(name, treatment).mean(axis=0) - self.part(name).mean(axis=0))

    def of_language(self, code: str, name: str, treatment: str = AS_IT_IS) -> Estimate:
        """One query language: ``found``, or ``own`` beyond its share."""
        rows = self.part(name, treatment)[self.record.languages.index(code)]
        return points_over_sentences(rows - (self.chance if name == "own" else 0))

    def beyond(self, treatment: str = AS_IT_IS) -> Floats:
        """Query language x document language: the share of the nearest ten beyond the pool's, in points."""
        shares = self.part("shares", treatment)
        languages, n = self.part("found").shape
        pool = np.full((languages, languages), n / (languages * n - 1))
        np.fill_diagonal(pool, self.chance)
        return np.asarray(100 * (shares - pool))

    def hubs(self, share: float = 0.01) -> tuple[float, dict[str, float]]:
        """How many of all places the most found ``share`` of sentences take, and in which languages these are."""
        counts = self.part("counts")
        flat = counts.ravel()
        top = np.argsort(-flat, kind="stable")[: max(1, round(share * len(flat)))]
        where = np.bincount(top // counts.shape[1], minlength=len(counts)) / len(top)
        return float(flat[top].sum() / flat.sum()), dict(zip(self.record.languages, where.tolist(), strict=True))

    def never_found(self) -> Estimate:
        """Sentences that no query has among its nearest ten."""
        return points_over_sentences((self.part("counts") == 0).mean(axis=0))

    def controls(self) -> Estimate:
        """Queries to which some unrelated sentence is as near as the median translation is to its query."""
        usual = float(np.median(self.part("translation")))
        return points_over_sentences((self.part("unrelated") >= usual).mean(axis=0))

    def fooled(self, kind: str = "") -> Estimate | None:
        """Other languages that take a changed sentence for the translation; None where no rule fitted."""
        rows = self.friends[self.friends["kind"] == kind] if kind else self.friends
        if rows.empty:
            return None
        return replace(bootstrap_mean(100 * rows["fooled"], rows["row"]), over="sentences")

    def without_friends(self, kind: str) -> list[str]:
        """Languages in which no sentence was changed in this way."""
        made = set(self.friends.loc[self.friends["kind"] == kind, "language"])
        return [code for code in self.record.languages if code not in made]


@dataclass(frozen=True, eq=False)
class AuditView:
    """The audited models, on the same pool."""

    models: tuple[AuditedView, ...]
    data: str

    def records(self) -> pd.DataFrame:
        """A row per model, treatment, measure and query language, and the means over languages."""
        rows = []
        for one in self.models:
            for treatment in TREATMENTS:
                rows.append((one.name, treatment, "found", "", one.found(treatment)))
                rows.append((one.name, treatment, "own language", "", one.bias(treatment)))
                for code in one.record.languages:
                    for measure, part in (("found", "found"), ("own language", "own")):
                        rows.append((one.name, treatment, measure, code, one.of_language(code, part, treatment)))
        frame = spread_frame(("model", "condition", "measure", "source"), rows)
        return tidy([frame.assign(unit="points", data=self.data)])


def view_of(plan: StudyPlan[Config, AuditCondition], results: Results) -> AuditView:
    """Read what the cells left."""
    models = []
    for condition in plan.conditions:
        folder = results.folder(condition.cell)
        arrays, _ = read_arrays(folder / FILE, KIND)
        wrong, friends = (pd.read_parquet(folder / name) for name in (WRONG, FRIENDS))
        models.append(AuditedView(condition.name, results[condition.cell], arrays, wrong, friends))
    return AuditView(tuple(models), plan.config.data)
