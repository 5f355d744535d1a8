"""Zero-shot tagging without the leading dimensions: the fine-tunings of Liang21 Fig. 4."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from isogloss.corpora.labdata import is_lab
from isogloss.encoders.model_content import read_config
from isogloss.errors import IsoglossError
from isogloss.studies.locate.config import Config
from isogloss.studies.shared.gather import Gather
from isogloss.studies.shared.models import Checkpoint, Model, Untrained
from isogloss.studies.shared.setups import Setup
from isogloss.studies.shared.texts import LAB_PART
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
    named = replace(setup.for_model(gather.model), data=config.name_data(setup.data))
    part = LAB_PART if is_lab(gather.data) else ""
    base = FineTune(
        model=gather.model,
        tests=named.tests(config.source, ()),
        texts=tuple(find_data(gather.data, "text", code, part, config.limit) for code in gather.languages),
        **named.fields(config.source, config.device),
    )
    width = width_of(gather.model)
    return [
        Tagged(setup.label, config.source, x, seed, _without(base, x, seed, config))
        for x in sorted({0, *(size for size in config.tagging_sizes if size < width)})
        for seed in config.seeds
    ]


def width_of(model: Model) -> int:
    """How many dimensions a model's states have, read without its weights."""
    if isinstance(model, Untrained):
        return width_of(model.twin)
    if not isinstance(model, Checkpoint):
        return model.recipe.model.width
    try:
        config = read_config(model.name, model.revision or None)
    except OSError as error:
        raise IsoglossError("no model is found under this name", where=model.name) from error
    return int(config.get_text_config().hidden_size)


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
