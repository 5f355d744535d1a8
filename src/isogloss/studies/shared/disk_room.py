"""Before a run starts: will the disk hold what it writes? An estimate from the plan alone, and a warning, no more.

Models: 4 bytes per parameter for each model that the missing cells keep, and three times that again (weights and both
moments of the optimiser) for the checkpoint of the largest one that is pretrained. Hidden states: sentences x languages
x layers x width x 4 bytes for each model and text that missing cells read through the cache. Text may have fewer
sentences than its limit, and states may be cached already. Moments: layers x width^2 x 8 bytes for each shard of text.
Models of unknown size count as nothing.
"""

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isogloss.encoders.cache import cache_folder
from isogloss.pretrain.lab_encoder import LabEncoder
from isogloss.progress import say
from isogloss.runs import Cell, Store
from isogloss.studies.shared.model_sizes import FLOAT, Sizes, shape_of
from isogloss.studies.shared.models import Untrained
from isogloss.studies.shared.pretraining import Apart, Pretraining
from isogloss.studies.shared.shard_moments import ShardMoments

DOUBLE = 8  # bytes
CHECKPOINT = 3  # times the weights
CACHING = ("inspection", "suitability", "audit")  # the cells whose states are kept in the cache


@dataclass(frozen=True)
class Room:
    """Bytes that a run writes, estimated: ``models`` and ``moments`` of shards into the store, ``states`` into the
    cache."""

    models: int = 0
    states: int = 0
    moments: int = 0


def room_needed(missing: Iterable[Cell[Any]], opened: Sizes) -> Room:
    """What these cells write, as far as it is known; states that several cells share count once."""
    kept, checkpoint, moments, states = 0, 0, 0, {}
    for cell in missing:
        trained = isinstance(cell, LabEncoder | Pretraining)
        if trained or isinstance(cell, Untrained | Apart) or getattr(cell, "keep_model", False):
            shape = shape_of(cell, opened) or shape_of(getattr(cell, "model", None), opened)
            weights = shape.weights if shape else 0
            kept += weights
            checkpoint = max(checkpoint, CHECKPOINT * weights if trained else 0)
        elif isinstance(cell, ShardMoments):
            if shape := shape_of(cell.model, opened):
                moments += shape.columns * shape.width**2 * DOUBLE
        elif cell.name in CACHING:
            model, data, languages, limit = (getattr(cell, name) for name in ("model", "data", "languages", "limit"))
            if shape := shape_of(model, opened):
                which = (model.label(), data, languages, limit, getattr(cell, "pooling", ""))
                states[which] = limit * len(languages) * shape.columns * shape.width * FLOAT
    return Room(kept + checkpoint, sum(states.values()), moments)


def warn_of_full_disk(cells: Iterable[Cell[Any]], store: Store, opened: Sizes) -> None:
    """Say on standard error where what is missing of ``cells`` may not fit on the disk of the store or the cache."""
    need = room_needed((cell for cell in cells if not store.has(cell)), opened)
    if need == Room():
        return
    at_store, at_cache = _existing(store.root), _existing(cache_folder())
    in_store = need.models + need.moments
    parts = {at_store: in_store, at_cache: need.states}
    if at_store.stat().st_dev == at_cache.stat().st_dev:
        parts = {at_store: in_store + need.states}
    for folder, size in parts.items():
        free = shutil.disk_usage(folder).free
        if size > free:
            say(
                f"warning: this run may not fit on the disk of {folder}: it writes about {size / 1e9:,.1f} GB "
                f"(models {need.models / 1e9:,.1f} GB, cached hidden states {need.states / 1e9:,.1f} GB, "
                f"moments of shards {need.moments / 1e9:,.1f} GB), and "
                f"{free / 1e9:,.1f} GB are free. Free some space (isogloss data cache, isogloss data store), "
                "point ISOGLOSS_HOME at a larger disk, or take fewer sentences or models."
            )


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that exists."""
    return next(one for one in (folder, *folder.absolute().parents) if one.exists())
