"""A transfer run as its answer reads it: scores at home and abroad, what a search tried, and who is related."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import pandas as pd

from isogloss.corpora.language_facts import families_in, languages_in
from isogloss.languages import Language
from isogloss.studies.columns import ABROAD, HOME, tidy
from isogloss.studies.figure import SPREAD
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.comparison import level
from isogloss.studies.study import Results
from isogloss.studies.transfer.config import Config
from isogloss.studies.transfer.plan import TransferCondition
from isogloss.tasks import get_task
from isogloss.transfer import FineTune, Settings, Tuned, score_frame


@dataclass(frozen=True)
class Search:
    """The tries of one condition: what tells them apart, and their scores in points, in the order tried."""

    condition: str
    tried: Sequence[Mapping[str, Any]]
    scores: Sequence[float]

    @property
    def best(self) -> int:
        """The try that was taken: the first of the highest score."""
        return max(range(len(self.scores)), key=lambda place: self.scores[place])


@dataclass(frozen=True, eq=False)
class TransferView:
    """``scores``: model, method, condition, seed, target, data, side, measure, value ... as shares: every measure."""

    task: str
    source: str  # languages joined with +
    measure: str  # the one that the task is reported by
    scores: pd.DataFrame
    known: dict[str, Language]  # what is known of the languages
    families: dict[str, str]
    home_families: set[str]
    searches: tuple[Search, ...] = ()
    notes: tuple[str, ...] = ()
    skipped: int = 0  # records that the first fine-tuning could not use

    @property
    def title(self) -> str:
        return f"{self.task} from {self.source}"

    @cached_property
    def main(self) -> pd.DataFrame:
        """The scores of the main measure."""
        return self.scores[self.scores["measure"] == self.measure]

    @cached_property
    def conditions(self) -> list[str]:
        """In the order of the plan; the first one is the reference."""
        return list(dict.fromkeys(self.main["condition"]))

    def of(self, condition: str, side: str = "") -> pd.DataFrame:
        """Scores of a condition, at home or abroad if ``side`` says so."""
        mine = self.main[self.main["condition"] == condition]
        return mine[mine["side"] == side] if side else mine

    @cached_property
    def by_target(self) -> pd.DataFrame:
        """A row per condition, data set and target, in points: means over seeds; the interval is over seeds too, or,
        with one seed, over sentences.
        """
        rows = []
        for keys, part in self.main.groupby(["condition", "data", "target"], sort=False):
            found = level(part)
            if len(part) == 1:
                low, high = 100 * part["low"].iloc[0], 100 * part["high"].iloc[0]
                found = replace(found, low=low, high=high, n=int(part["n"].iloc[0]), over="sentences")
            rows.append((*keys, *found.columns()))
        return pd.DataFrame(rows, columns=["condition", "data", "target", *SPREAD])

    def records(self) -> pd.DataFrame:
        """Every measure of every test."""
        return tidy((self.scores.assign(task=self.task, source=self.source, unit="share"),), ("side", "method", "main"))


def view_of(plan: StudyPlan[Config, TransferCondition], results: Results) -> TransferView:
    """Read what the cells left."""
    config, found = plan.config, plan.conditions
    records = [results[one.cell] for one in found]
    sources = found[0].cell.sources
    scores = pd.concat([_scores(one, results) for one in found], ignore_index=True)
    codes = {*scores["target"], *sources}
    families = dict(config.families) or families_in(config.data, codes)
    return TransferView(
        task=config.task,
        source="+".join(config.sources),
        measure=get_task(config.task, **config.options).measure,
        scores=scores,
        known=languages_in(config.data, codes),
        families=families,
        home_families={families[code] for code in sources if families.get(code)},
        searches=tuple(_searches(found, results)),
        notes=tuple(dict.fromkeys(note for record in records for note in record.notes)),
        skipped=sum(records[0].skipped.values()),
    )


def _scores(condition: TransferCondition, results: Results) -> pd.DataFrame:
    frame = score_frame(
        results[condition.cell].scores,
        model=condition.model,
        method=condition.method,
        condition=condition.name,
        seed=condition.seed,
    ).rename(columns={"language": "target"})
    own = condition.cell.sources  # of which the test data may have a variety: de-AT
    home = [code in own or code.partition("-")[0] in own for code in frame["target"]]
    return frame.assign(side=[HOME if here else ABROAD for here in home])


def _searches(found: Sequence[TransferCondition], results: Results) -> list[Search]:
    """One per condition that was searched; its seeds share it."""
    cells = {one.name: one.cell for one in found}
    return [
        Search(name, differing(cell.candidates), [100 * results[one].validation for one in cell.candidates])
        for name, cell in cells.items()
        if isinstance(cell, Tuned)
    ]


def differing(candidates: Sequence[FineTune]) -> list[dict[str, Any]]:
    """Of each candidate, the settings (and the method) in which they differ."""
    every = [
        {"method": one.method, **{field.name: getattr(one.settings, field.name) for field in fields(Settings)}}
        for one in candidates
    ]
    names = [name for name in every[0] if any(one[name] != every[0][name] for one in every)]
    return [{name: one[name] for name in names} for one in every]
