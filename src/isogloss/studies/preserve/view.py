"""A study of L-DAR as its answer reads it: scores, drifts, the alpha that is chosen, and tests on sentences."""

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from isogloss.probes.statistics import Estimate
from isogloss.studies.columns import ABROAD, tidy
from isogloss.studies.plan import StudyPlan
from isogloss.studies.preserve.cells import DRIFT_FILE
from isogloss.studies.preserve.config import Config
from isogloss.studies.preserve.plan import BASELINE, STILL, PreserveCondition
from isogloss.studies.shared.comparison import Comparison, adjust, compare, level, spread
from isogloss.studies.shared.kept import kept
from isogloss.studies.shared.scores import on_own_data, pick, scores_of, tables_in, validation_of
from isogloss.studies.study import Results
from isogloss.tasks.swap_test import swap_test
from isogloss.transfer.cells import TALLIES
from isogloss.transfer.tally_file import read_tallies

ALL = "all"  # both sides: home and abroad
EXTRA = ("side", "layers", "subspace", "alpha")


@dataclass(frozen=True, eq=False)
class PreserveView:
    """``scores``: task, source, condition, layers, subspace, alpha, seed, target, data, side, value ... of each
    task's main measure, as shares. ``validation``: the same of the sources' validation part. ``drifts``: a row per
    fine-tuning, layer and language. ``tests``: a row per task, source, condition and target, with the p-value of its
    difference to the baseline over sentences.
    """

    model: str
    scores: pd.DataFrame
    validation: pd.DataFrame
    drifts: pd.DataFrame
    tests: pd.DataFrame

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

    def judged(self, task: str, source: str) -> str:
        """The side that conditions are judged by: abroad, or all where every language was trained on."""
        return ABROAD if len(self.of(task, source, BASELINE, ABROAD)) else ALL

    def validated(self, task: str, source: str, condition: str, alpha: float) -> float:
        """The score of the sources' validation part in points, mean over seeds."""
        mine = pick(self.validation, task=task, source=source, condition=condition, alpha=alpha)
        return 100 * float(mine["value"].mean())

    @kept
    def chosen(self, task: str, source: str, condition: str) -> float:
        """The alpha that is best on the sources' validation part; of equals the smallest."""
        tried = self.alphas(condition)
        return max(tried, key=lambda alpha: (self.validated(task, source, condition, alpha), -alpha))

    def hindsight(self, task: str, source: str, condition: str) -> float:
        """The alpha that is best in the zero-shot languages of the test data: what nobody knows beforehand."""
        side = self.judged(task, source)
        return max(self.alphas(condition), key=lambda alpha: self.level(task, source, condition, side, alpha).value)

    @kept
    def of(self, task: str, source: str, condition: str, side: str = ALL, alpha: float | None = None) -> pd.DataFrame:
        """Scores of a condition at the chosen alpha, or at another."""
        picked = self.chosen(task, source, condition) if alpha is None else alpha
        mine = pick(self.scores, task=task, source=source, condition=condition, alpha=picked)
        return mine if side == ALL else mine[mine["side"] == side]

    @kept
    def level(self, task: str, source: str, condition: str, side: str = ALL, alpha: float | None = None) -> Estimate:
        return level(self.of(task, source, condition, side, alpha))

    @kept
    def compared(
        self, task: str, source: str, condition: str, side: str = ALL, alpha: float | None = None,
        over: str = BASELINE,
    ) -> Comparison:  # fmt: skip
        """A condition against another, over the same languages and seeds."""
        return compare(self.of(task, source, condition, side, alpha), self.of(task, source, over, side))

    def gain(
        self, task: str, source: str, condition: str, side: str = ALL, alpha: float | None = None,
        over: str = BASELINE,
    ) -> Estimate:  # fmt: skip
        """How many points a condition is above another."""
        return self.compared(task, source, condition, side, alpha, over).estimate

    def p_by_target(self, task: str, source: str, condition: str) -> dict[str, float]:
        """By permutation over sentences against the baseline, corrected over all that were tested."""
        mine = pick(self.tests, task=task, source=source, condition=condition)
        return dict(zip(mine["target"], mine["p"], strict=True))

    def drift(
        self, task: str, source: str, condition: str, part: str, alpha: float | None = None, layer: int | None = None
    ) -> Estimate:
        """Mean drift ``inside`` or ``outside`` the subspace over layers above the embedding (or one) and languages."""
        table = self.drift_table(task, source, condition, part, alpha, layer).to_numpy()
        return spread(table, limits=(0.0, math.inf))

    def drift_table(
        self, task: str, source: str, condition: str, part: str, alpha: float | None = None, layer: int | None = None
    ) -> pd.DataFrame:
        """Seeds x languages, means over layers above the embedding, or of one layer."""
        picked = self.chosen(task, source, condition) if alpha is None else alpha
        mine = pick(self.drifts, task=task, source=source, condition=condition, alpha=picked)
        mine = mine[mine["layer"] > 0] if layer is None else mine[mine["layer"] == layer]
        return mine.pivot_table(index="seed", columns="target", values=part)

    def records(self) -> pd.DataFrame:
        """Test scores, validation scores, and drifts inside and outside the subspace."""
        validation = self.validation.assign(target=self.validation["source"], measure="validation", n=1)
        parts = [self.scores.assign(unit="share"), validation.assign(unit="share")]
        for part in ("inside", "outside") if len(self.drifts) else ():
            moved = self.drifts.assign(value=self.drifts[part], measure=f"drift_{part}", unit="of the spread")
            parts.append(moved)
        return tidy((part.assign(model=self.model) for part in parts), EXTRA)


def view_of(plan: StudyPlan[Config, PreserveCondition], results: Results) -> PreserveView:
    """Read what the cells left."""
    found = plan.conditions
    read = ((one, results.folder(one.cell)) for one in found if one.cell.space is not None)
    view = PreserveView(
        model=plan.config.model,
        scores=on_own_data(scores_of(found, results)),
        validation=validation_of(found, results),
        drifts=tables_in(read, DRIFT_FILE),
        tests=pd.DataFrame(),
    )
    return replace(view, tests=_sentence_tests(view, found, results))


def _sentence_tests(view: PreserveView, found: tuple[PreserveCondition, ...], results: Results) -> pd.DataFrame:
    """Permutation over each target's sentences, all seeds together, corrected by Holm's method over them all."""
    measures = {one.setup.label: one.setup.measure for one in found}
    folders: dict[tuple[str, str, str, float], list[Path]] = defaultdict(list)  # one per seed
    for one in found:
        folders[one.setup.label, one.source, one.variant.condition, one.variant.alpha].append(results.folder(one.cell))
    rows = []
    for task, source in view.groups():
        plain = [read_tallies(folder / TALLIES) for folder in folders[task, source, BASELINE, 0.0]]
        for condition in (name for name in view.conditions() if name != BASELINE):
            alpha = view.chosen(task, source, condition)
            mine = [read_tallies(folder / TALLIES) for folder in folders[task, source, condition, alpha]]
            tested = view.of(task, source, condition)[["data", "target"]].drop_duplicates()
            for data, target in tested.itertuples(index=False):
                key = f"{data}/{target}"
                p = swap_test([one[key] for one in mine], [one[key] for one in plain], measures[task])
                rows.append((task, source, condition, target, p))
    return adjust(pd.DataFrame(rows, columns=["task", "source", "condition", "target", "p"]), ["p"])
