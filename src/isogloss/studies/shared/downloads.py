"""What a run fetches from the Hugging Face hub, as far as that is known on this machine."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isogloss.corpora.hub import is_hub
from isogloss.encoders.expected import expected_model, offline, weights_are_here
from isogloss.encoders.names import ModelName
from isogloss.runs import Cell
from isogloss.runs.records import records_in
from isogloss.studies.shared.models import LAB, UNTRAINED, Checkpoint, Untrained


@dataclass(frozen=True)
class Download:
    """A model or a data set; ``size`` in bytes is None where only the hub knows it."""

    name: str
    size: int | None = None


def downloads(cells: Iterable[Cell[Any]]) -> tuple[Download, ...]:
    """Models whose weights are not on this machine, and data of the hub, which are read from there each time."""
    models, data = {}, set()
    for cell in cells:
        for record in records_in(cell, lambda one: not isinstance(one, Untrained)):
            if isinstance(record, Checkpoint) and record.name:
                models[ModelName.parse(record.name).path] = record
            data |= {value for value in vars(record).values() if is_hub(value)}
    with offline():
        return (*(found for name in sorted(models) for found in _model(models[name])), *map(Download, sorted(data)))


def named_downloads(config: Any) -> tuple[Download, ...]:
    """The same from a study's settings alone, for a study that cannot be planned before its data are here."""
    values = [value for record in records_in(config, lambda _: True) for value in vars(record).values()]
    every = [one for value in values for one in (value.values() if isinstance(value, dict) else (value,))]
    names = getattr(config, "models", None) or (getattr(config, "model", ""),)
    models = [name for name in names if isinstance(name, str) and name and not name.startswith((LAB, UNTRAINED))]
    with offline():
        found = [one for name in models for one in _model(Checkpoint(name))]
    return (*found, *map(Download, dict.fromkeys(one for one in every if is_hub(one))))


def _model(model: Checkpoint) -> Iterator[Download]:
    path = ModelName.parse(model.name).path
    if Path(path).expanduser().exists() or weights_are_here(path, model.revision):
        return
    found = expected_model(path, model.revision)
    yield Download(path, found.download if found else None)
