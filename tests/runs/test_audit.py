"""A store looked through: what is damaged, left over, old; repaired and pruned."""

import os
import time
from pathlib import Path

import pytest
from filelock import FileLock
from toy_cells import Draw, Fail, Total

from isogloss.errors import IsoglossError
from isogloss.runs import Inline, Store
from isogloss.runs.audit import DAY, audit, prune, repair


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "store")
    Inline().run("toy", [Total((Draw(seed=1), Draw(seed=2)))], store)
    return store


def spoil(store: Store) -> None:
    """One of each kind."""
    (store.folder(Draw(seed=1)) / "steps.txt").write_text("1.0")
    Inline().run("toy", [Fail("mistake")], store)
    (store.root / "folders" / ("0" * 40)).mkdir()
    (store.root / "folders" / ("0" * 40) / "model.safetensors").write_bytes(b"x" * 1000)
    (store.root / "work" / ("1" * 40)).mkdir(parents=True)
    (store.result_path(Draw(seed=1)).parent / ".a.json.part").write_text("half")


def test_a_sound_store_has_nothing_to_say(store: Store):
    found = audit(store.root)
    assert sorted(one.cell for one in found.results) == ["draw", "draw", "total"]
    assert {one.study for one in found.results} == {"toy"}
    assert found.left == ()
    assert found.bytes > sum(path.stat().st_size for path in store.root.glob("results/*/*.json"))


def test_what_is_damaged_or_left_over_is_listed_and_repairing_leaves_what_runs_take_up(store: Store):
    sound = store.get(Total((Draw(seed=1), Draw(seed=2))))
    spoil(store)
    found = audit(store.root)
    kinds = {"damaged", "failure", "folder without a result", "unfinished work", "half-written file"}
    assert {one.kind for one in found.left} == kinds
    assert "steps.txt" in found.damaged[0].why
    assert len(repair(found)) == 3
    assert {one.kind for one in audit(store.root).left} == {"failure", "unfinished work"}
    outcome = Inline().run("toy", [Total((Draw(seed=1), Draw(seed=2)))], store)
    assert (outcome.computed, outcome.found) == (1, 2)
    assert store.get(Total((Draw(seed=1), Draw(seed=2)))) == sound


def test_a_cell_that_a_run_is_at_is_not_touched(store: Store):
    spoil(store)
    with FileLock(store.lock_path(Draw(seed=1))):
        assert not any(one.kind == "damaged" for one in repair(audit(store.root)))
    assert store.has(Draw(seed=1))


def test_a_size_check_finds_truncation_and_a_thorough_one_flips(store: Store):
    path = store.folder(Draw(seed=1)) / "steps.txt"
    content = bytearray(path.read_bytes())
    content[3] ^= 1
    path.write_bytes(content)
    assert not audit(store.root, thorough=False).damaged
    assert len(audit(store.root).damaged) == 1
    path.write_bytes(content[:-1])
    assert len(audit(store.root, thorough=False).damaged) == 1


def test_results_are_pruned_by_age_study_and_size(store: Store):
    Inline().run("other", [Draw(seed=3)], store)
    assert prune(audit(store.root), older_than_days=1) == []
    assert [one.cell for one in prune(audit(store.root), study="other")] == ["draw"]
    assert not store.has(Draw(seed=3)) and not store.folder(Draw(seed=3)).exists()
    before = audit(store.root)
    gone = prune(before, to_bytes=before.bytes - 1)
    assert len(gone) == 1
    prune(audit(store.root), to_bytes=0)
    assert audit(store.root).bytes == 0


def test_age_is_that_of_the_result(store: Store, monkeypatch: pytest.MonkeyPatch):
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 10 * DAY)
    assert len(prune(audit(store.root), older_than_days=9)) == 3


def test_a_folder_that_is_no_store_is_an_error(tmp_path: Path):
    with pytest.raises(IsoglossError, match="there is no store here"):
        audit(tmp_path)
    assert os.listdir(tmp_path) == []  # noqa: PTH208
