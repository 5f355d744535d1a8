"""The room that a run needs, beside what it then wrote; and that it is said where the disk is smaller."""

import shutil
from collections import namedtuple
from pathlib import Path

import pytest

from isogloss.encoders.cache import cache_folder
from isogloss.pretrain.lab_encoder import LabEncoder
from isogloss.pretrain.model import build
from isogloss.runs import Inline, Store
from isogloss.studies.inspect import STUDY, Config
from isogloss.studies.shared import disk_room
from isogloss.studies.shared.disk_room import CHECKPOINT, Room, room_needed, warn_of_full_disk
from isogloss.studies.shared.model_sizes import FLOAT
from isogloss.studies.shared.models import name_model
from isogloss.studies.shared.opened import openings
from isogloss.studies.study import Results
from isogloss.transfer.cells import FineTune

Usage = namedtuple("Usage", "total used free")


def config_of(*models: str) -> Config:
    return Config(models=models, data="lab:twins", limit=100, seed=3, device="cpu")


def bytes_in(folder: Path, pattern: str) -> int:
    return sum(path.stat().st_size for path in folder.rglob(pattern))


def test_states_and_models_take_what_was_estimated(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ISOGLOSS_HOME", str(tmp_path))
    store, plan = Store(tmp_path / "store"), STUDY.prepare(config_of(str(tiny_model), f"untrained:{tiny_model}"))
    opened = openings(plan.all_cells)
    Inline().run("models", opened, store)
    sizes = {cell.model: Results(store)[cell] for cell in opened}
    need = room_needed(plan.all_cells, sizes)
    monkeypatch.setattr(disk_room.shutil, "disk_usage", lambda folder: Usage(0, 0, 0))
    result, _ = STUDY.attempt(plan, Inline(), store)
    assert result is not None  # a warning, no refusal
    said = capsys.readouterr().err
    assert said.index("may not fit on the disk") < said.index("inspect: ")
    assert bytes_in(cache_folder(), "layer-*.safetensors") == pytest.approx(need.states, rel=0.1)
    assert bytes_in(store.root, "model.safetensors") == pytest.approx(need.models, rel=0.1)
    assert room_needed((cell for cell in plan.all_cells if not store.has(cell)), sizes) == Room()


def test_an_encoder_that_is_to_be_pretrained_has_a_checkpoint_beside_it() -> None:
    encoder = name_model("lab:twins@5")
    assert isinstance(encoder, LabEncoder)
    recipe = encoder.recipe
    model = build(recipe.model, recipe.vocabulary.entries(1), recipe.data.length, 0)
    weights = FLOAT * sum(parameter.numel() for parameter in model.parameters())
    assert room_needed([encoder], {}).models == pytest.approx((1 + CHECKPOINT) * weights, rel=0.1)
    one, two = (room_needed([FineTune(encoder, keep_model=True)] * n, {}).models for n in (1, 2))
    assert two == 2 * one == pytest.approx(2 * weights, rel=0.1)
    assert room_needed([FineTune(encoder)], {}) == Room()


def test_states_that_two_cells_share_count_once() -> None:
    (cell,) = STUDY.prepare(config_of("lab:twins@5")).cells
    assert room_needed([cell, cell], {}) == room_needed([cell], {})
    assert room_needed([cell], {}).states > 0


def test_only_a_disk_that_is_too_small_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ISOGLOSS_HOME", str(tmp_path / "not" / "yet"))
    store, plan = Store(tmp_path / "store"), STUDY.prepare(config_of("lab:twins@5"))
    need = room_needed(plan.all_cells, {})
    for spare in (0, -1):
        free = Usage(0, 0, need.models + need.states + spare)
        monkeypatch.setattr(disk_room.shutil, "disk_usage", lambda folder, free=free: free)
        warn_of_full_disk(plan.all_cells, store, {})
        said = capsys.readouterr().err
        assert ("may not fit on the disk" in said) == (spare < 0)
    assert str(tmp_path / "store") in said and "ISOGLOSS_HOME" in said


def test_nothing_is_asked_of_the_disk_where_nothing_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: pytest.fail("asked"))
    warn_of_full_disk([], Store(tmp_path), {})
