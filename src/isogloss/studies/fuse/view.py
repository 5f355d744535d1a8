"""A fusion study as its answer reads it: scores and cosines; who is related; which layer is chosen and which best."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from isogloss.probes.statistics import Estimate
from isogloss.studies.fuse.cells import BASELINE, Condition, Config
from isogloss.studies.fuse.cosines import read_cosines
from isogloss.studies.shared.comparison import compare, level
from isogloss.studies.shared.families import families_in
from isogloss.studies.shared.models import name_model
from isogloss.studies.shared.setups import depth_of
from isogloss.studies.study import Results
from isogloss.transfer import score_frame

FAMILY, OTHERS, ALL = "source's family", "other families", "all languages"


@dataclass(frozen=True, eq=False)
class View:
    """``scores``: model, task, variant, layer, gate, branches, seed, target, group, value, ... of the main measure.
    ``validation``: the same of the source's validation part, one value each. ``cosines``: a row a variant and target,
    with the gates.
    """

    scores: pd.DataFrame
    validation: pd.DataFrame
    cosines: pd.DataFrame
    measures: dict[str, str]
    depths: dict[str, int]  # the last layer of each model
    gates: tuple[str, ...]
    source: str

    def groups(self) -> Iterator[tuple[str, str]]:
        """Model and task, in the order of the plan."""
        yield from dict.fromkeys(zip(self.scores["model"], self.scores["task"], strict=True))

    def of(self, model: str, task: str, variant: str, group: str = ALL) -> pd.DataFrame:
        rows = self.scores
        mine = rows[(rows["model"] == model) & (rows["task"] == task) & (rows["variant"] == variant)]
        return mine if group == ALL else mine[mine["group"] == group]

    def level(self, model: str, task: str, variant: str, group: str = ALL) -> Estimate:
        return level(self.of(model, task, variant, group))

    def gain(self, model: str, task: str, variant: str, group: str = ALL, over: str = BASELINE) -> Estimate:
        """How many points a variant is above another, over the same languages and seeds."""
        return compare(self.of(model, task, variant, group), self.of(model, task, over, group)).estimate

    def variants(self, model: str) -> pd.DataFrame:
        """The variants of a model: variant, layer, gate, branches, in the order of the plan."""
        rows = self.scores[self.scores["model"] == model]
        return rows[["variant", "layer", "gate", "branches"]].drop_duplicates().reset_index(drop=True)

    def fusions(self, model: str, gate: str | None = None) -> dict[int, str]:
        """Layer -> variant of the whole fusions by a gate (the first one by default), the control among them."""
        rows = self.variants(model)
        mine = rows[(rows["gate"] == (gate or self.gates[0])) & (rows["branches"] == "both")]
        return dict(zip(mine["layer"].tolist(), mine["variant"].tolist(), strict=True))

    def lower(self, model: str) -> dict[int, str]:
        """The fusions of a lower layer: all but the control."""
        return {layer: name for layer, name in self.fusions(model).items() if layer < self.depths[model]}

    def chosen(self, model: str, task: str) -> int:
        """The layer whose fusion is best on the source's validation part, mean over seeds."""
        return _best({layer: self.validated(model, task, name) for layer, name in self.lower(model).items()})

    def hindsight(self, model: str, task: str) -> int:
        """The layer whose fusion is best on the test data: what nobody knows beforehand."""
        return _best({layer: self.level(model, task, name).value for layer, name in self.lower(model).items()})

    def validated(self, model: str, task: str, variant: str) -> float:
        """The score of the source's validation part in points, mean over seeds."""
        rows = self.validation
        mine = rows[(rows["model"] == model) & (rows["task"] == task) & (rows["variant"] == variant)]
        return 100 * float(mine["value"].mean())

    def cosine(self, model: str, task: str, variant: str) -> pd.DataFrame:
        """Cosines by target, means over seeds."""
        rows = self.cosines
        mine = rows[(rows["model"] == model) & (rows["task"] == task) & (rows["variant"] == variant)]
        return mine.groupby("target", sort=False)[["cosine", "others", "opening", "n"]].mean()


def _best(scores: Mapping[int, float]) -> int:
    """The layer with the highest score; of equals the highest layer."""
    return max(scores, key=lambda layer: (scores[layer], layer))


def view_of(config: Config, found: Sequence[Condition], results: Results) -> View:
    """Read what the cells left."""
    families = family_table(config, found)
    scores = pd.concat([_scores(condition, results, families) for condition in found], ignore_index=True)
    validation = pd.DataFrame([{**_names(c), "value": results[c.cell].validation} for c in found])
    alike = [
        read_cosines(results.folder(condition.cell)).assign(**_names(condition))
        for condition in found
        if condition.cell.sentences is not None
    ]
    return View(
        scores=scores,
        validation=validation,
        cosines=pd.concat(alike, ignore_index=True) if alike else pd.DataFrame(),
        measures={condition.setup.label: condition.setup.measure for condition in found},
        depths=_depths(config),
        gates=config.gates,
        source=config.source,
    )


def _depths(config: Config) -> dict[str, int]:
    return {name: depth_of(name_model(name, config.revision, config.seed), config.revision) for name in config.models}


def _names(condition: Condition) -> dict[str, Any]:
    return {
        "model": condition.model,
        "task": condition.setup.label,
        "variant": condition.variant.name,
        "layer": condition.variant.layer,
        "gate": condition.variant.gate,
        "branches": condition.variant.branches,
        "seed": condition.seed,
    }


def _scores(condition: Condition, results: Results, families: Mapping[str, str]) -> pd.DataFrame:
    frame = score_frame(results[condition.cell].scores, **_names(condition)).rename(columns={"language": "target"})
    own = families.get(condition.home, "")
    related = [code == condition.home or (own != "" and families.get(code, "") == own) for code in frame["target"]]
    frame["group"] = np.where(related, FAMILY, OTHERS)
    tested = frame["data"] == (condition.setup.test_data or condition.setup.data)
    return frame[frame["main"] & tested].drop(columns="main").reset_index(drop=True)


def family_table(config: Config, found: Sequence[Condition]) -> dict[str, str]:
    """The family of every tested language: as named, the lab's, or WALS's."""
    codes = {data.language for condition in found for data in condition.cell.tests} | {found[0].home}
    return {**families_in(found[0].cell.train[0].name, codes), **config.families}
