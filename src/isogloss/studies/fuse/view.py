"""A fusion study as its answer reads it: scores and cosines; who is related; which layer is chosen and which best."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from isogloss.corpora.language_facts import families_in
from isogloss.probes.statistics import Estimate
from isogloss.studies.columns import HOME, tidy
from isogloss.studies.fuse.cells import COSINES_FILE
from isogloss.studies.fuse.config import Config
from isogloss.studies.fuse.plan import BASELINE, FuseCondition
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.comparison import Comparison, compare, level
from isogloss.studies.shared.kept import kept
from isogloss.studies.shared.scores import on_own_data, pick, scores_of, tables_in, validation_of
from isogloss.studies.study import Results

FAMILY, OTHERS, ALL = "source's family", "other families", "all languages"
EXTRA = ("side", "group", "gate", "branches")


@dataclass(frozen=True, eq=False)
class FuseView:
    """``scores``: model, task, condition, layer, gate, branches, seed, target, side, group, value, ... of the main
    measure. ``validation``: the same of the source's validation part, one value each. ``cosines``: a row per
    condition and target, with the gates. ``sizes``: a row per task and language with its records in train, dev and
    test, as far as they are read, and the names of the data and the task's measure.
    """

    scores: pd.DataFrame
    validation: pd.DataFrame
    cosines: pd.DataFrame
    depths: dict[str, int]  # the last layer of each model
    gates: tuple[str, ...]
    source: str
    sizes: pd.DataFrame = field(default_factory=pd.DataFrame)

    def groups(self) -> Iterator[tuple[str, str]]:
        """Model and task, in the order of the plan."""
        yield from dict.fromkeys(zip(self.scores["model"], self.scores["task"], strict=True))

    def tasks(self, model: str) -> list[str]:
        return [task for name, task in self.groups() if name == model]

    @kept
    def of(self, model: str, task: str, condition: str, group: str = ALL) -> pd.DataFrame:
        mine = pick(self.scores, model=model, task=task, condition=condition)
        return mine if group == ALL else mine[mine["group"] == group]

    @kept
    def level(self, model: str, task: str, condition: str, group: str = ALL) -> Estimate:
        return level(self.of(model, task, condition, group))

    @kept
    def compared(self, model: str, task: str, condition: str, group: str = ALL, over: str = BASELINE) -> Comparison:
        """A condition against another, over the same languages and seeds."""
        return compare(self.of(model, task, condition, group), self.of(model, task, over, group))

    def gain(self, model: str, task: str, condition: str, group: str = ALL, over: str = BASELINE) -> Estimate:
        """How many points a condition is above another."""
        return self.compared(model, task, condition, group, over).estimate

    def variants(self, model: str) -> pd.DataFrame:
        """What was compared in a model: condition, layer, gate, branches, in the order of the plan."""
        rows = self.scores[self.scores["model"] == model]
        return rows[["condition", "layer", "gate", "branches"]].drop_duplicates().reset_index(drop=True)

    def fusions(self, model: str, gate: str | None = None) -> dict[int, str]:
        """Layer -> condition of the whole fusions by a gate (the first one by default), the control among them."""
        rows = self.variants(model)
        mine = rows[(rows["gate"] == (gate or self.gates[0])) & (rows["branches"] == "both")]
        return dict(zip(mine["layer"].tolist(), mine["condition"].tolist(), strict=True))

    def lower(self, model: str) -> dict[int, str]:
        """The fusions of a lower layer: all but the control."""
        return {layer: name for layer, name in self.fusions(model).items() if layer < self.depths[model]}

    def chosen(self, model: str, task: str) -> int:
        """The layer whose fusion is best on the source's validation part, mean over seeds."""
        return _best({layer: self.validated(model, task, name) for layer, name in self.lower(model).items()})

    def hindsight(self, model: str, task: str) -> int:
        """The layer whose fusion is best on the test data: what nobody knows beforehand."""
        return _best({layer: self.level(model, task, name).value for layer, name in self.lower(model).items()})

    def validated(self, model: str, task: str, condition: str) -> float:
        """The score of the source's validation part in points, mean over seeds."""
        return 100 * float(pick(self.validation, model=model, task=task, condition=condition)["value"].mean())

    def cosine(self, model: str, task: str, condition: str) -> pd.DataFrame:
        """Cosines by target, means over seeds."""
        mine = pick(self.cosines, model=model, task=task, condition=condition)
        return mine.groupby("target", sort=False)[["cosine", "others", "opening", "n"]].mean()

    def size_summary(self) -> pd.DataFrame:
        """A row per task, as in Chen22 Table I: train, dev, smallest and largest test, number of tested languages."""
        parts = self.sizes.groupby(["task", "data", "test data", "metric"], sort=False)
        columns = {
            "train": ("train", "sum"), "dev": ("dev", "sum"), "smallest test": ("test", "min"),
            "largest test": ("test", "max"), "languages": ("test", "count"),
        }  # fmt: skip
        return parts.agg(**columns).reset_index()

    def records(self) -> pd.DataFrame:
        """Test scores, validation scores of the source, cosines and gates."""
        validation = self.validation.assign(target=self.source, measure="validation", n=1, unit="share")
        parts = [self.scores.assign(unit="share"), validation]
        measures = {"cosine": ("cosine", "cosine"), "others": ("cosine_others", "cosine"), "opening": ("gate", "share")}
        for column, (measure, unit) in measures.items() if len(self.cosines) else ():
            found = self.cosines.assign(value=self.cosines[column], measure=measure, unit=unit)
            parts.append(found.dropna(subset="value"))
        fused = (part.assign(layer=part["layer"].where(part["layer"] > 0), source=self.source) for part in parts)
        return tidy(fused, EXTRA)


def _best(scores: Mapping[int, float]) -> int:
    """The layer with the highest score; of equals the highest layer."""
    return max(scores, key=lambda layer: (scores[layer], layer))


def view_of(plan: StudyPlan[Config, FuseCondition], results: Results) -> FuseView:
    """Read what the cells left."""
    config, found = plan.config, plan.conditions
    families = family_table(config, found)
    read = ((one, results.folder(one.cell)) for one in found if one.cell.sentences is not None)
    return FuseView(
        scores=_grouped(on_own_data(scores_of(found, results)), families, found),
        validation=validation_of(found, results),
        cosines=tables_in(read, COSINES_FILE),
        depths={one.model: one.depth for one in found},
        gates=config.gates,
        source=config.source,
        sizes=pd.concat([_sizes(one, results) for one in _one_per_task(found)], ignore_index=True),
    )


def _one_per_task(found: Sequence[FuseCondition]) -> Sequence[FuseCondition]:
    """The first condition of every task: models, variants and seeds read the same data."""
    return list({one.setup.label: one for one in reversed(found)}.values())[::-1]


def _sizes(condition: FuseCondition, results: Results) -> pd.DataFrame:
    cell, record, setup = condition.sizes, results[condition.sizes], condition.setup
    counts: dict[str, dict[str, int]] = {}
    for part in ("train", "dev", "test"):
        for data, n in zip(getattr(cell, part), getattr(record, part), strict=True):
            row = counts.setdefault(data.language, {})
            row[part] = row.get(part, 0) + n
    frame = pd.DataFrame.from_dict(counts, orient="index", columns=["train", "dev", "test"]).rename_axis("language")
    names = {"task": setup.label, "data": cell.train[0].name, "test data": cell.test[0].name, "metric": setup.measure}
    return frame.astype("Int64").reset_index().assign(**names)


def _grouped(scores: pd.DataFrame, families: Mapping[str, str], found: Sequence[FuseCondition]) -> pd.DataFrame:
    """``scores`` with a column that says whether a target is of the source's family; the source itself is."""
    own = {families.get(code, "") for one in found for code in one.cell.sources} - {""}
    related = (scores["side"] == HOME) | scores["target"].map(families).isin(own)
    return scores.assign(group=np.where(related, FAMILY, OTHERS))


def family_table(config: Config, found: Sequence[FuseCondition]) -> dict[str, str]:
    """The family of every tested language: as named, the lab's, or WALS's."""
    codes = {data.language for condition in found for data in condition.cell.tests} | {found[0].cell.sources[0]}
    return {**families_in(found[0].cell.train[0].name, codes), **config.families}
