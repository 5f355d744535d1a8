"""Keys of stored results as they are: a key that moves makes everyone compute again what they have.

Where a cell's meaning changed on purpose (its ``version`` was bumped), write the file anew:
``python tests/runs/test_frozen_keys.py``.
"""

import hashlib
import json
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest

from isogloss.corpora.shards import Shard
from isogloss.runs import Cell, Plan, key_of
from isogloss.studies import ablate, align, emerge, forget, fuse, locate, predict, preserve, think, transfer
from isogloss.studies.audit.cells import Audit
from isogloss.studies.choose.cells import Suitability
from isogloss.studies.demo import demo_parts
from isogloss.studies.shared.models import Checkpoint, FolderCheckpoint
from isogloss.studies.shared.opened import Opened
from isogloss.studies.shared.shard_moments import MergedMoments, ShardMoments
from isogloss.studies.shared.study_presets import load_study_preset
from isogloss.studies.study import get_study

FROZEN = Path(__file__).with_name("frozen_keys.json")
LAB_PRESETS = {
    "ablate": ablate.Config,
    "align": align.Config,
    "emerge": emerge.Config,
    "forget": forget.Config,
    "fuse": fuse.Config,
    "locate": locate.Config,
    "predict": predict.Config,
    "preserve": preserve.Config,
    "think": think.Config,
}

SHARD = ShardMoments(Checkpoint("org/model", "main"), Shard("de", "0123", 500, "de.txt", 7, 8, 9), seed=1)
BY_HAND = {
    "shards": (SHARD, MergedMoments(SHARD.model, "text", "4567", ("de", "sw"), shards=(SHARD,))),
    "opened": (
        Opened(Checkpoint("org/model", "main")),
        Opened(Checkpoint("org/model?prompt=query: &dim=8&content=ab")),
        Opened(FolderCheckpoint("anywhere", "0123-prompt=query: ")),
    ),
    "audit": (Audit(Checkpoint("org/model", "main"), "mine.csv", "0123", ("de", "sw")),),
    "suitability": (
        Suitability(Checkpoint("org/model", "main"), "mine.csv", "0123", ("de", "sw")),
        Suitability(Checkpoint("org/model", "main"), "mine.csv", "0123", ("de", "sw"), purpose="classification"),
    ),
}


def planned(case: str) -> list[Cell]:
    """Every cell of a case, with those it needs."""
    origin, _, name = case.partition("/")
    if origin == "cells":
        return list(BY_HAND[name])
    if origin in ("tiny", "demo"):
        part = next(part for part in demo_parts(origin, seed=0) if part.study.name == name)
        study, config = part.study, part.config
    elif origin == "lab":
        study, config = get_study(name), load_study_preset(name, "lab", LAB_PRESETS[name])
    else:
        study, config = get_study("transfer"), searched_transfer()
    plan = study.plan(config)
    return list(Plan(getattr(plan, "cells", plan)).cells.values())


def searched_transfer() -> transfer.Config:
    """A grid over two values, beside an untrained twin and a method that reads plain text."""
    plain = transfer.Config(models=("lab:twins@40",), data="lab:twins", limit=20, test_limit=20, seeds=(0, 1))
    return replace(
        plain,
        models=("lab:twins@40", "untrained:lab:twins@40"),
        methods=("plain", "frozen:0-1", "reversal:0.5"),
        texts="lab:twins",
        search={"encoder_rate": (0.001, 0.01)},
    )


def keys_of(case: str) -> dict[str, dict[str, object]]:
    """Keys by kind of cell."""
    found = defaultdict(set)
    for cell in planned(case):
        found[f"{cell.name} v{cell.version}"].add(key_of(cell))
    return {kind: _summary(sorted(keys)) for kind, keys in sorted(found.items())}


def _summary(keys: list[str]) -> dict[str, object]:
    """The first keys themselves, and a digest of them all."""
    digest = hashlib.sha256("".join(keys).encode()).hexdigest()[:16]
    return {"cells": len(keys), "all": digest, "first": keys[:3]}


CASES = [
    *(f"{size}/{part.study.name}" for size in ("tiny", "demo") for part in demo_parts(size, seed=0)),
    *(f"lab/{name}" for name in LAB_PRESETS),
    "search/transfer",
    *(f"cells/{name}" for name in BY_HAND),
]


@pytest.mark.parametrize("case", CASES)
def test_keys_stay(case):
    frozen = json.loads(FROZEN.read_text())
    assert keys_of(case) == frozen[case]


def test_every_kind_of_cell_is_frozen():
    frozen = json.loads(FROZEN.read_text())
    kinds = {kind.split(" ")[0] for kinds in frozen.values() for kind in kinds}

    def below(cls: type) -> set[str]:
        own = {cls.name} if getattr(cls, "name", None) and cls.__module__.startswith("isogloss.") else set()
        return own.union(*(below(child) for child in cls.__subclasses__()))

    assert below(Cell) <= kinds
    assert len({key for case in frozen.values() for keys in case.values() for key in keys["first"]}) >= 40


if __name__ == "__main__":
    FROZEN.write_text(json.dumps({case: keys_of(case) for case in CASES}, indent=1) + "\n")
