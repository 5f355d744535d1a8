"""A variation as its answer reads it: scores by setting of the knobs and seed; paired differences between values."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import product

import numpy as np
import pandas as pd

from isogloss.probes.statistics import Estimate
from isogloss.studies.columns import tidy
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.comparison import POSSIBLE, UNBOUNDED, compare, level
from isogloss.studies.shared.meeting import RETRIEVAL, met_scores, read_meeting
from isogloss.studies.shared.scores import pick
from isogloss.studies.study import Results
from isogloss.studies.vary.config import Config, Grid
from isogloss.studies.vary.plan import POOLS, VaryCondition

CKA = "cka_unbiased"
TRAINED, UNTRAINED = "pretrained", "untrained"
Levels = dict[str, str]  # the value of some knobs


@dataclass(frozen=True, eq=False)
class VaryView:
    """``scores``: a row per setting, seed, encoder (pretrained or untrained) and measure, with a column per knob.
    ``encoders``: what pretraining says of itself, a row per setting and seed."""

    scores: pd.DataFrame
    encoders: pd.DataFrame
    grid: Grid
    lab: str
    seeds: int
    sentences: int

    @property
    def varied(self) -> tuple[str, ...]:
        """The knobs with more than one value."""
        return tuple(knob for knob, levels in self.grid.items() if len(levels) > 1)

    def settings(self, but: str = "") -> Iterator[Levels]:
        """Every combination of values of the knobs, one knob aside."""
        rest = {knob: levels for knob, levels in self.grid.items() if knob != but}
        yield from (dict(zip(rest, levels, strict=True)) for levels in product(*rest.values()))

    def of(self, levels: Levels, encoder: str = TRAINED, measure: str = RETRIEVAL) -> pd.DataFrame:
        """The scores where these knobs have these values; ``data`` is the setting of the others."""
        rows = pick(self.scores, encoder=encoder, measure=measure, **levels)
        others = [knob for knob in self.grid if knob not in levels]
        return rows.assign(data=rows[others].agg(" ".join, axis=1) if others else "")

    def level(self, levels: Levels, encoder: str = TRAINED, measure: str = RETRIEVAL) -> Estimate:
        """The mean over the settings of the other knobs and over seeds, in points."""
        return level(self.of(levels, encoder, measure), POSSIBLE if measure == RETRIEVAL else UNBOUNDED)

    def effect(self, knob: str, value: str, measure: str = RETRIEVAL) -> Estimate:
        """What a value does against the knob's first, in points, paired by seed and by the other knobs."""
        first = self.grid[knob][0]
        return compare(self.of({knob: value}, measure=measure), self.of({knob: first}, measure=measure)).estimate

    def emergence(self) -> Estimate:
        """Pretrained against untrained encoders, over all settings, paired by seed."""
        return compare(self.of({}), self.of({}, UNTRAINED)).estimate

    def records(self) -> pd.DataFrame:
        rows = self.scores
        setting = pd.concat([f"{knob}=" + rows[knob] for knob in self.grid], axis=1).agg("&".join, axis=1)
        frame = tidy((rows.assign(condition=setting, model=rows["encoder"], task=rows["measure"]),), tuple(self.grid))
        return frame.assign(unit=np.where(frame["measure"] == RETRIEVAL, "share", "CKA"))


def view_of(plan: StudyPlan[Config, VaryCondition], results: Results) -> VaryView:
    """Read what the cells left."""
    config, grid = plan.config, plan.config.grid()
    scores, encoders = [], []
    for one in plan.conditions:
        about = {**dict(zip(grid, one.levels, strict=True)), "seed": one.seed, "data": one.lab}
        about |= {"source": config.pair[0], "target": config.pair[1]}
        for encoder, cell in ((TRAINED, one.trained), (UNTRAINED, one.untrained)):
            found = met_scores(read_meeting(results.folder(cell)), POOLS)
            scores += [{**about, "encoder": encoder, **asdict(score)} for score in found]
        record = results[one.model]
        perplexity, shared = (float(np.mean([*by.values()])) for by in (record.perplexity, record.anchors))
        encoders.append({**about, "perplexity": perplexity, "shared": 100 * shared})
    frame = pd.DataFrame(scores)
    found_sentences = int(frame.loc[frame["measure"] == RETRIEVAL, "n"].min())
    return VaryView(frame, pd.DataFrame(encoders), grid, config.lab, len(config.seeds), found_sentences)
