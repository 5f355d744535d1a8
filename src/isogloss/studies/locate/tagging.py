"""Zero-shot tagging without the leading dimensions: the fine-tunings of Liang21 Fig. 4."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from isogloss.corpora.labdata import is_lab
from isogloss.studies.locate.config import Config
from isogloss.studies.locate.gather import Gather
from isogloss.studies.locate.texts import LAB_PART
from isogloss.studies.setups import Setup
from isogloss.transfer import FineTune, TransferRecord, find_data, parse_methods
from isogloss.transfer.methods import format_methods

HOME, ABROAD = "source", "other languages"


@dataclass(frozen=True)
class Tagged:
    """One fine-tuning of the plan: a task without its first ``x`` dimensions."""

    task: str
    source: str
    x: int
    seed: int
    cell: FineTune


def tag_cells(config: Config, gather: Gather) -> tuple[Tagged, ...]:
    """Tasks x sizes x repetitions."""
    return tuple(one for setup in config.tagging for one in _cells(config, setup, gather))


def _cells(config: Config, setup: Setup, gather: Gather) -> list[Tagged]:
    """The fine-tunings of a task; their subspace is fitted on the same text as everything else."""
    named = replace(setup, data=config.name_data(setup.data))
    part = LAB_PART if is_lab(gather.data) else ""
    base = FineTune(
        model=gather.model,
        tests=named.tests(config.source, ()),
        texts=tuple(find_data(gather.data, "text", code, part, config.limit) for code in gather.languages),
        **named.fields(config.source, config.device),
    )
    return [
        Tagged(setup.label, config.source, x, seed, _without(base, x, seed, config))
        for x in sorted({0, *config.tagging_sizes})
        for seed in config.seeds
    ]


def _without(base: FineTune, x: int, seed: int, config: Config) -> FineTune:
    layer = "last" if config.layer == -1 else str(config.layer)
    method = f"{config.tagging_method}+subspace:dims={x}:,layer={layer},tokens={config.tokens}"
    return replace(base, method=format_methods(parse_methods(method)), settings=replace(base.settings, seed=seed))


def tag_frame(tagged: Sequence[Tagged], records: Sequence[TransferRecord]) -> pd.DataFrame:
    """A row a language, size and repetition, in the columns of the probes."""
    rows = [
        {
            "task": one.task.upper(),
            "kind": "left out",
            "x": one.x,
            "draw": 0,
            "item": score.language,
            "value": score.value,
            "n": score.n,
            "subset": HOME if score.language == one.source else ABROAD,
            "method": "densray",
            "seed": one.seed,
            "measure": score.measure,
        }
        for one, record in zip(tagged, records, strict=True)
        for score in record.scores
        if score.main
    ]
    return pd.DataFrame(rows)
