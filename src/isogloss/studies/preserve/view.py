"""A study of L-DAR as its answer reads it: scores, drifts, the alpha that is chosen, and tests on sentences."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from isogloss.probes.statistics import Estimate
from isogloss.studies.preserve.cells import BASELINE, STILL, Condition
from isogloss.studies.preserve.drifts import read_drift
from isogloss.studies.shared.comparison import compare, level, spread
from isogloss.studies.study import Results
from isogloss.tasks.swapping import swap_test
from isogloss.transfer import score_frame
from isogloss.transfer.cells import TALLIES
from isogloss.transfer.tally_file import read_tallies

SOURCE, ZERO_SHOT, ALL = "source", "zero-shot", "all"
Key = tuple[str, str, str, float]  # task, source, condition, alpha


@dataclass(frozen=True, eq=False)
class View:
    """``scores``: task, source, condition, layers, subspace, alpha, seed, target, data, where, value ... of each
    task's main measure, as shares. ``validation``: the same of the sources' validation part. ``drifts``: a row a
    fine-tuning, layer and language. ``folders``: of all fine-tunings, a seed each.
    """

    scores: pd.DataFrame
    validation: pd.DataFrame
    drifts: pd.DataFrame
    measures: dict[str, str]
    folders: Mapping[Key, tuple[Path, ...]]

    def groups(self) -> Iterator[tuple[str, str]]:
        """Task and source, in the order of the plan."""
        yield from dict.fromkeys(zip(self.scores["task"], self.scores["source"], strict=True))

    def conditions(self) -> list[str]:
        """Baseline, control and all kinds of L-DAR, in the order of the plan."""
        return list(dict.fromkeys(self.scores["condition"]))

    def held(self) -> list[str]:
        """All kinds of L-DAR; the first one holds the first set of layers by the first subspace."""
        return [name for name in self.conditions() if name not in (BASELINE, STILL)]

    def leading(self) -> str:
        """The kind that findings lead with."""
        return self.held()[0]

    def alphas(self, condition: str) -> list[float]:
        """The alphas that a condition was tried with; 0 for one that holds nothing."""
        return sorted(self.scores.loc[self.scores["condition"] == condition, "alpha"].unique().tolist())

    def validated(self, task: str, source: str, condition: str, alpha: float) -> float:
        """The score of the sources' validation part in points, mean over seeds."""
        return 100 * float(_rows(self.validation, task, source, condition, alpha)["value"].mean())

    def chosen(self, task: str, source: str, condition: str) -> float:
        """The alpha that is best on the sources' validation part; of equals the smallest."""
        tried = self.alphas(condition)
        return max(tried, key=lambda alpha: (self.validated(task, source, condition, alpha), -alpha))

    def hindsight(self, task: str, source: str, condition: str) -> float:
        """The alpha that is best in the zero-shot languages of the test data: what nobody knows beforehand."""
        where = ZERO_SHOT if len(self.of(task, source, condition, ZERO_SHOT)) else ALL
        return max(self.alphas(condition), key=lambda alpha: self.level(task, source, condition, where, alpha).value)

    def of(self, task: str, source: str, condition: str, where: str = ALL, alpha: float | None = None) -> pd.DataFrame:
        """Scores of a condition at the chosen alpha, or at another."""
        picked = self.chosen(task, source, condition) if alpha is None else alpha
        mine = _rows(self.scores, task, source, condition, picked)
        return mine if where == ALL else mine[mine["where"] == where]

    def level(self, task: str, source: str, condition: str, where: str = ALL, alpha: float | None = None) -> Estimate:
        return level(self.of(task, source, condition, where, alpha))

    def gain(
        self, task: str, source: str, condition: str, where: str = ALL, alpha: float | None = None,
        over: str = BASELINE,
    ) -> Estimate:  # fmt: skip
        """How many points a condition is above another, over the same languages and seeds."""
        return compare(self.of(task, source, condition, where, alpha), self.of(task, source, over, where)).estimate

    def p(self, task: str, source: str, condition: str, where: str) -> float:
        """By permutation over languages, against the baseline."""
        return compare(self.of(task, source, condition, where), self.of(task, source, BASELINE, where)).p

    def sentence_p(self, task: str, source: str, condition: str) -> dict[str, float]:
        """By language: permutation over its sentences, all seeds together, against the baseline."""
        measure = self.measures[task]
        one, other = (
            [read_tallies(folder / TALLIES) for folder in self.folders[task, source, name, alpha]]
            for name, alpha in ((condition, self.chosen(task, source, condition)), (BASELINE, 0.0))
        )
        tests = self.of(task, source, condition)[["data", "target"]].drop_duplicates()
        return {
            target: swap_test([a[f"{data}/{target}"] for a in one], [b[f"{data}/{target}"] for b in other], measure)
            for data, target in tests.itertuples(index=False)
        }

    def drift(
        self, task: str, source: str, condition: str, part: str, alpha: float | None = None, layer: int | None = None
    ) -> Estimate:
        """Mean drift ``inside`` or ``outside`` the subspace over layers above the embedding (or one) and languages."""
        return spread(self.drift_table(task, source, condition, part, alpha, layer).to_numpy())

    def drift_table(
        self, task: str, source: str, condition: str, part: str, alpha: float | None = None, layer: int | None = None
    ) -> pd.DataFrame:
        """Seeds x languages, means over layers above the embedding, or of one layer."""
        picked = self.chosen(task, source, condition) if alpha is None else alpha
        mine = _rows(self.drifts, task, source, condition, picked)
        mine = mine[mine["layer"] > 0] if layer is None else mine[mine["layer"] == layer]
        return mine.pivot_table(index="seed", columns="target", values=part)


def _rows(frame: pd.DataFrame, task: str, source: str, condition: str, alpha: float) -> pd.DataFrame:
    same = (frame["task"] == task) & (frame["source"] == source) & (frame["condition"] == condition)
    return frame[same & (frame["alpha"] == alpha)]


def view_of(found: Sequence[Condition], results: Results) -> View:
    """Read what the cells left."""
    drifts = [read_drift(results.folder(one.cell)).assign(**_names(one)) for one in found if one.cell.space is not None]
    folders: dict[Key, tuple[Path, ...]] = {}
    for one in found:
        key = (one.setup.label, one.source, one.variant.condition, one.variant.alpha)
        folders[key] = (*folders.get(key, ()), results.folder(one.cell))
    return View(
        scores=pd.concat([_scores(condition, results) for condition in found], ignore_index=True),
        validation=pd.DataFrame([{**_names(one), "value": results[one.cell].validation} for one in found]),
        drifts=pd.concat(drifts, ignore_index=True) if drifts else pd.DataFrame(),
        measures={condition.setup.label: condition.setup.measure for condition in found},
        folders=folders,
    )


def _names(condition: Condition) -> dict[str, Any]:
    variant = condition.variant
    return {
        "task": condition.setup.label,
        "source": condition.source,
        "condition": variant.condition,
        "layers": variant.layers,
        "subspace": variant.subspace,
        "alpha": variant.alpha,
        "seed": condition.seed,
    }


def _scores(condition: Condition, results: Results) -> pd.DataFrame:
    frame = score_frame(results[condition.cell].scores, **_names(condition)).rename(columns={"language": "target"})
    frame["where"] = np.where(frame["target"].isin(condition.cell.sources), SOURCE, ZERO_SHOT)
    tested = frame["data"] == (condition.setup.test_data or condition.setup.data)
    return frame[frame["main"] & tested].drop(columns="main").reset_index(drop=True)
