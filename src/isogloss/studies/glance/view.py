"""A glance as its answer reads it: the layer is chosen on the validation part, every number is of the test part."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from isogloss.probes.statistics import Estimate
from isogloss.studies.columns import tidy
from isogloss.studies.figure import SPREAD
from isogloss.studies.glance.cells import POOLS, Meet, Score, Scores, Structure, Tags
from isogloss.studies.glance.config import Config
from isogloss.studies.glance.plan import PRETRAINED, TAGS, UNTRAINED, GlanceCondition
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.scores import pick
from isogloss.studies.study import Results

CHANCE = "chance"


@dataclass(frozen=True, eq=False)
class GlanceView:
    """``frame``: condition, pool, layer, measure, value, low, high, n; ``folder``: what the pretraining left."""

    frame: pd.DataFrame
    layer: int
    structure: Structure
    data: str
    seed: int
    folder: Path | None = None

    def level(self, condition: str, pool: str, measure: str) -> Estimate:
        """What was measured at the chosen layer."""
        row = pick(self.frame, condition=condition, pool=pool, measure=measure, layer=self.layer)
        value, low, high, n = row[SPREAD].iloc[0]
        return Estimate(float(value), float(low), float(high), int(n), over="sentences")

    def records(self) -> pd.DataFrame:
        """A row per condition, pool, layer and measure."""
        unit = self.frame["measure"].map({"retrieval": "share", "cka": "CKA"})
        source, target = self.structure.languages
        named = self.frame.assign(data=self.data, seed=self.seed, unit=unit, source=source, target=target)
        return tidy([named], extra=("pool",))


def view_of(plan: StudyPlan[Config, GlanceCondition], results: Results) -> GlanceView:
    """Read what the cells left."""
    meet, twin, tags = (one.cell for one in plan.conditions)
    assert isinstance(meet, Meet) and isinstance(twin, Meet) and isinstance(tags, Tags)
    return make_view(results[meet], results[twin], results[tags], plan.config, results.folder(meet.encoder))


def make_view(
    trained: Scores, untrained: Scores, structure: Structure, config: Config, folder: Path | None = None
) -> GlanceView:
    """The view of these records; ``folder`` is that of the pretrained encoder."""
    frame = test_rows(trained, untrained, structure, config.pool)
    return GlanceView(frame, chosen_layer(trained), structure, f"lab:{config.preset}", config.seed, folder)


def chosen_layer(scores: Scores) -> int:
    """The layer with the best retrieval on the hard pool's validation part; the lowest of equals."""
    rows = [row for row in scores.rows if (row.pool, row.part, row.measure) == ("hard", "validation", "retrieval")]
    best = max(rows, key=lambda row: (row.value, -(row.layer or 0)))
    return best.layer or 0


def test_rows(trained: Scores, untrained: Scores, structure: Structure, pool_size: int) -> pd.DataFrame:
    """One row per measurement of the test part; baselines without layers stand at every layer."""
    layers = sorted({row.layer for row in trained.rows if row.layer is not None})
    chance = [
        Score(pool, "test", None, "retrieval", 1 / pool_size, 1 / pool_size, 1 / pool_size, 2 * pool_size)
        for pool in POOLS
    ]
    scored = {PRETRAINED: trained.rows, UNTRAINED: untrained.rows, TAGS: structure.rows, CHANCE: chance}
    rows = [
        (condition, row.pool, layer, row.measure, row.value, row.low, row.high, row.n)
        for condition, scores in scored.items()
        for row in scores
        if row.part == "test"
        for layer in (layers if row.layer is None else [row.layer])
    ]
    return pd.DataFrame(rows, columns=["condition", "pool", "layer", "measure", *SPREAD])
