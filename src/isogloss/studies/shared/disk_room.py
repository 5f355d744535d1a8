"""Before a run starts: will the disk hold what it writes? An estimate from the plan alone, and a warning, no more.

Models: 4 bytes per parameter for each model that the missing cells keep, and three times that again (weights and both
moments of the optimiser) for the checkpoint of the largest one that is pretrained. Hidden states: sentences x languages
x layers x width x 4 bytes for each model and text that missing cells read through the cache. Text may have fewer
sentences than its limit, and states may be cached already. Models of unknown size count as nothing.
"""

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isogloss.encoders.cache import cache_folder
from isogloss.pretrain import Recipe
from isogloss.progress import say
from isogloss.runs import Cell, Store
from isogloss.studies.shared.lab_encoder import LabEncoder
from isogloss.studies.shared.models import Checkpoint, Untrained
from isogloss.studies.shared.opened import OpenedModel
from isogloss.studies.shared.pretraining import Apart, Pretraining

FLOAT = 4  # bytes
CHECKPOINT = 3  # times the weights
CACHING = ("inspection", "suitability", "audit")  # the cells whose states are kept in the cache
Sizes = Mapping[Checkpoint, OpenedModel]


@dataclass(frozen=True)
class Room:
    """Bytes that a run writes, estimated: ``models`` into the store, ``states`` into the cache."""

    models: int = 0
    states: int = 0


@dataclass(frozen=True)
class Shape:
    """What the size of a model and of its states follow from."""

    parameters: int
    columns: int
    width: int


def room_needed(missing: Iterable[Cell[Any]], opened: Sizes) -> Room:
    """What these cells write, as far as it is known; states that several cells share count once."""
    kept, checkpoint, states = 0, 0, {}
    for cell in missing:
        trained = isinstance(cell, LabEncoder | Pretraining)
        if trained or isinstance(cell, Untrained | Apart) or getattr(cell, "keep_model", False):
            shape = _shape(cell, opened) or _shape(getattr(cell, "model", None), opened)
            weights = FLOAT * shape.parameters if shape else 0
            kept += weights
            checkpoint = max(checkpoint, CHECKPOINT * weights if trained else 0)
        elif cell.name in CACHING:
            model, data, languages, limit = (getattr(cell, name) for name in ("model", "data", "languages", "limit"))
            if shape := _shape(model, opened):
                which = (model.label(), data, languages, limit, getattr(cell, "pooling", ""))
                states[which] = limit * len(languages) * shape.columns * shape.width * FLOAT
    return Room(kept + checkpoint, sum(states.values()))


def warn_of_full_disk(cells: Iterable[Cell[Any]], store: Store, opened: Sizes) -> None:
    """Say on standard error where what is missing of ``cells`` may not fit on the disk of the store or the cache."""
    need = room_needed((cell for cell in cells if not store.has(cell)), opened)
    if not need.models and not need.states:
        return
    at_store, at_cache = _existing(store.root), _existing(cache_folder())
    parts = {at_store: need.models, at_cache: need.states}
    if at_store.stat().st_dev == at_cache.stat().st_dev:
        parts = {at_store: need.models + need.states}
    for folder, size in parts.items():
        free = shutil.disk_usage(folder).free
        if size > free:
            say(
                f"warning: this run may not fit on the disk of {folder}: it writes about {size / 1e9:,.1f} GB "
                f"(models {need.models / 1e9:,.1f} GB, cached hidden states {need.states / 1e9:,.1f} GB), and "
                f"{free / 1e9:,.1f} GB are free. Free some space (isogloss data cache, isogloss data store), "
                "point ISOGLOSS_HOME at a larger disk, or take fewer sentences or models."
            )


def _shape(model: Any, opened: Sizes) -> Shape | None:
    """The shape of a model that was opened or is planned; None where it is not known."""
    if isinstance(model, Untrained):
        return _shape(model.twin, opened)
    if isinstance(model, Apart):
        parts = [part for part in (_shape(one, opened) for one in model.parts) if part is not None]
        return Shape(sum(one.parameters for one in parts), parts[0].columns, parts[0].width) if parts else None
    if isinstance(model, LabEncoder):
        return _planned(model.recipe, 1)
    if isinstance(model, Pretraining):
        return _planned(model.recipe, len(model.texts))
    found = opened.get(model) if isinstance(model, Checkpoint) else None
    return Shape(found.parameters, len(found.columns), found.width) if found else None


def _planned(recipe: Recipe, languages: int) -> Shape | None:
    """Embeddings (per language where they are separate), positions, and attention and feed-forward of each layer."""
    model = recipe.model
    if model.start is not None:
        return None
    tables = languages if recipe.sharing.embeddings == "separate" else 1
    embeddings = (recipe.vocabulary.entries(languages) + recipe.data.length) * model.width
    layer = 4 * model.width**2 + 2 * model.width * model.feedforward
    return Shape(tables * embeddings + model.layers * layer, model.layers + 1, model.width)


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that exists."""
    return next(one for one in (folder, *folder.absolute().parents) if one.exists())
