"""An ablation as its answer reads it: scores and similarities as tidy frames, and targets by where they are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from isogloss.probes.statistics import Correlation, Estimate, spearman
from isogloss.runs import Cell, key_of
from isogloss.studies.ablate.cells import SIMILARITIES
from isogloss.studies.ablate.config import Config
from isogloss.studies.ablate.plan import REFERENCE, AblateCondition
from isogloss.studies.columns import ABROAD, HOME, OTHER_DATA, tidy
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.comparison import compare, level
from isogloss.studies.shared.kept import kept
from isogloss.studies.shared.models import name_model
from isogloss.studies.shared.scores import pick, scores_of, stacked
from isogloss.studies.shared.setups import depth_of
from isogloss.studies.study import Results

DOMAIN, DOMAIN_ABROAD = HOME + OTHER_DATA, ABROAD + OTHER_DATA
PRETRAINED, FINE_TUNED = "pretrained", "fine-tuned"
SIMILARITY_COLUMNS = ["task", "source", "condition", "seed", "layer", "target", "kind", "value", "chance", "n"]


@dataclass(frozen=True, eq=False)
class AblateView:
    """``scores``: task, source, condition (the layers re-initialised), seed, target, data, side, value ... of each
    task's main measure, as shares. ``similarities``: task, source, condition (pretrained, fine-tuned, or the layers
    re-initialised), seed, layer, target, kind, value.
    """

    model: str
    scores: pd.DataFrame
    similarities: pd.DataFrame
    sets: tuple[str, ...]
    depth: int
    kind: str  # of CKA that figures show
    fitted: pd.DataFrame  # task, source, condition, seed, validation, and the settings of each fine-tuning
    encoders: int = 1  # pretrained ones: as many as seeds, or one for all of them

    def groups(self) -> Iterator[tuple[str, str]]:
        """Task and source, in the order of the plan."""
        yield from dict.fromkeys(zip(self.scores["task"], self.scores["source"], strict=True))

    @kept
    def of(self, task: str, source: str, side: str, layers: str = REFERENCE) -> pd.DataFrame:
        """Scores of one group; ``side`` is home, abroad, or other data."""
        return pick(self.scores, task=task, source=source, side=side, condition=layers)

    @kept
    def reference(self, task: str, source: str, side: str) -> Estimate:
        return level(self.of(task, source, side))

    @kept
    def loss(self, task: str, source: str, side: str, layers: str) -> Estimate:
        return compare(self.of(task, source, side, layers), self.of(task, source, side)).estimate

    def data_of(self, task: str, source: str, target: str) -> str:
        """The data set that a target of the task's own is tested on."""
        rows = self.scores[self.scores["side"].isin([HOME, ABROAD])]
        return str(pick(rows, task=task, source=source, target=target)["data"].iloc[0])

    @property
    def correlates(self) -> bool:
        """Whether there are similarities of three targets or more."""
        return bool(self.similarities["target"].nunique() >= 3)

    @kept
    def shown(self) -> pd.DataFrame:
        """Similarities of the kind of CKA that figures show."""
        return self.similarities[self.similarities["kind"] == self.kind]

    @kept
    def similarity(self, task: str, source: str, state: str) -> pd.DataFrame:
        """The shown kind of CKA: a row per target, a column per layer, means over seeds."""
        mine = pick(self.shown(), task=task, source=source, condition=state)
        return mine.pivot_table(index="target", columns="layer", values="value")

    def records(self) -> pd.DataFrame:
        """Scores and similarities, a row each."""
        scores = self.scores.assign(model=self.model, unit="share")
        alike = self.similarities.assign(model=self.model, measure="cka_" + self.similarities["kind"], unit="CKA")
        return tidy((scores, alike.assign(seed=alike["seed"].where(alike["seed"] >= 0))), extra=("side",))

    @kept
    def transfer(self, task: str, source: str) -> pd.Series:
        """Minus the cross-language gap by target, in points: how far below home each language is, means over seeds."""
        home = self.reference(task, source, HOME).value
        return 100 * self.of(task, source, ABROAD).groupby("target", sort=False)["value"].mean() - home

    def correlation(
        self, pairs: Sequence[tuple[str, str]], state: str, layer: int | None = None
    ) -> tuple[Correlation, pd.DataFrame]:
        """Spearman's rho of similarity (mean over layers, or one) and minus the gap over all targets of ``pairs``."""
        parts = []
        for task, source in pairs:
            alike = self.similarity(task, source, state)
            values = alike.mean(axis=1) if layer is None else alike[layer]
            joined = pd.DataFrame({"similarity": values, "transfer": self.transfer(task, source)}).dropna()
            parts.append(joined.reset_index(names="target").assign(task=task, source=source))
        frame = pd.concat(parts, ignore_index=True)
        return spearman(frame["similarity"], frame["transfer"]), frame


def view_of(plan: StudyPlan[Config, AblateCondition], results: Results) -> AblateView:
    """Read what the cells left."""
    config, found = plan.config, plan.conditions
    return AblateView(
        model=config.model,
        scores=scores_of(found, results),
        similarities=_similarities(found, results, varies=config.vary_pretraining),
        sets=tuple(dict.fromkeys(c.layers for c in found if c.layers != REFERENCE)),
        depth=depth_of(name_model(config.model, config.revision, config.seed)),
        kind=config.similarity[0] if config.similarity else "linear",
        fitted=pd.DataFrame([_fitted(condition, results) for condition in found]),
        encoders=len(config.seeds) if config.vary_pretraining else 1,
    )


def _fitted(condition: AblateCondition, results: Results) -> dict[str, object]:
    """What one fine-tuning was made with, and its score on the source's validation part."""
    record = results[condition.cell]
    best = max(record.history, key=lambda epoch: epoch.validation)
    epoch = best.number if record.settings.keep == "best" else len(record.history)
    made = {"batch": record.settings.batch, "rate": record.settings.encoder_rate, "epoch": epoch}
    return {**condition.names, "validation": record.validation, **made}


def _similarities(conditions: Sequence[AblateCondition], results: Results, *, varies: bool) -> pd.DataFrame:
    """Of all fine-tuned models, then of the pretrained ones, which several conditions may share."""
    compared = [condition for condition in conditions if condition.pretrained is not None]
    cells: list[tuple[dict[str, Any], Cell[Any]]] = [
        (_tuned_names(condition), condition.cell) for condition in compared
    ]
    before = {(one.setup.label, one.source, key_of(one.pretrained)): one for one in compared if one.pretrained}
    cells += [(_pretrained_names(one, varies=varies), one.pretrained) for one in before.values() if one.pretrained]
    found = stacked((names, pd.read_parquet(results.folder(cell) / SIMILARITIES)) for names, cell in cells)
    return found[SIMILARITY_COLUMNS] if len(found) else pd.DataFrame(columns=SIMILARITY_COLUMNS)


def _tuned_names(condition: AblateCondition) -> dict[str, Any]:
    return {**condition.names, "condition": FINE_TUNED if condition.layers == REFERENCE else condition.layers}


def _pretrained_names(condition: AblateCondition, *, varies: bool) -> dict[str, Any]:
    return {**condition.names, "condition": PRETRAINED, "seed": condition.seed if varies else -1}
