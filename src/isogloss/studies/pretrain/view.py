"""A finished pretraining: perplexity by language, and what each language uses of the vocabulary."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from isogloss.pretrain import Pretrained
from isogloss.studies.columns import tidy
from isogloss.studies.plan import StudyPlan
from isogloss.studies.pretrain.config import Config
from isogloss.studies.pretrain.plan import PretrainCondition
from isogloss.studies.study import Results

UNITS = {"perplexity": "perplexity", "anchors": "share", "fertility": "tokens per word", "unknown": "share"}


@dataclass(frozen=True, eq=False)
class PretrainView:
    """``languages``: a row per language with its perplexity, tokens and use of the vocabulary."""

    model: str
    data: str
    seed: int
    done: Pretrained
    languages: pd.DataFrame

    def records(self) -> pd.DataFrame:
        """A row per language and measure."""
        long = self.languages.melt(["language", "tokens"], list(UNITS), "measure", "value").dropna(subset="value")
        frame = long.rename(columns={"language": "target", "tokens": "n"})
        named = frame.assign(model=self.model, data=self.data, seed=self.seed, unit=frame["measure"].map(UNITS))
        return tidy((named,))


def view_of(plan: StudyPlan[Config, PretrainCondition], results: Results) -> PretrainView:
    """Read what the training left in its folder."""
    (condition,) = plan.conditions
    done = Pretrained.load(results.folder(condition.model))
    uses = {use.language: use for use in done.vocabulary}
    columns = ("tokens", "entries", "anchors", "fertility", "unknown")
    rows = [
        {"language": code, "perplexity": done.perplexities.get(code, np.nan)}
        | {name: getattr(uses.get(code), name, np.nan) for name in columns}
        for code in done.languages
    ]
    return PretrainView(condition.model.label(), plan.config.data, plan.config.seed, done, pd.DataFrame(rows))
