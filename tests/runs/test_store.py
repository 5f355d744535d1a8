import errno
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from toy_cells import Draw, Number, Total

from isogloss import __version__
from isogloss.digests import DamagedError
from isogloss.errors import IsoglossError
from isogloss.runs import Failure, Inline, Store, key_of
from isogloss.runs.envelope import FileMark, Work


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def test_what_is_put_is_what_is_got(store: Store):
    assert store.get(Draw()) is None
    store.put(Draw(), Number(0.1 + 0.2, 3), Work(1.5))
    assert store.get(Draw()) == Number(0.1 + 0.2, 3)
    assert store.seconds(Draw()) == 1.5
    assert Store(store.root).get(Draw()) == Number(0.1 + 0.2, 3)


def test_a_result_file_says_what_it_is_the_result_of(store: Store):
    store.put(Draw(seed=5), Number(1.0, 1), Work(0.0))
    content = json.loads(store.result_path(Draw(seed=5)).read_text())
    assert content["described"]["inputs"] == {"seed": 5, "steps": 4, "pause": 0.0}


@pytest.mark.parametrize("keep", [0, 1, 40, -1])
def test_a_truncated_result_is_an_error_that_names_the_file(store: Store, keep: int):
    store.put(Draw(), Number(1.0, 1), Work(0.0))
    path = store.result_path(Draw())
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(IsoglossError, match=r"damaged.*\n.*run the same command again") as caught:
        store.get(Draw())
    assert caught.value.where == str(path)


def test_a_changed_number_in_a_result_is_noticed(store: Store):
    store.put(Draw(), Number(1.25, 1), Work(0.0))
    path = store.result_path(Draw())
    path.write_text(path.read_text().replace("1.25", "9.25"))
    with pytest.raises(IsoglossError, match="checksum"):
        store.get(Draw())


def test_a_result_of_an_older_form_names_the_version_as_the_cure(store: Store, monkeypatch: pytest.MonkeyPatch):
    store.put(Draw(), Number(1.0, 1), Work(0.0))
    monkeypatch.setattr(Draw, "record", Failure)
    with pytest.raises(IsoglossError, match="bump the cell's version"):
        store.get(Draw())


def test_a_store_of_a_newer_version_is_refused_and_left_alone(store: Store):
    mark = store.root / "store.json"
    mark.write_text('{"format": 99}')
    with pytest.raises(IsoglossError, match="newer Isogloss"):
        Store(store.root)
    assert mark.read_text() == '{"format": 99}'


def test_a_result_of_a_newer_version_is_refused(store: Store):
    store.put(Draw(), Number(1.0, 1), Work(0.0))
    path = store.result_path(Draw())
    content = path.read_text().replace('"format":2', '"format":99', 1)
    path.write_text(content.replace(f'"isogloss":"{__version__}"', '"isogloss":"99.0"', 1))
    with pytest.raises(IsoglossError, match="newer Isogloss"):
        store.get(Draw())


def test_a_store_below_a_file_is_an_error_that_names_the_folder(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(IsoglossError, match="cannot create this folder"):
        Store(tmp_path / "file" / "store")


def test_a_store_without_write_permission_serves_what_is_in_it(store: Store, monkeypatch: pytest.MonkeyPatch):
    Inline().run("toy", [Draw()], store)
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write anywhere, so chmod would not do
    closed = Store(store.root)
    assert Inline().run("toy", [Draw()], closed).found == 1
    assert (closed.sound_folder(Draw()) / "steps.txt").is_file()
    with pytest.raises(IsoglossError, match="read-only"):
        Inline().run("toy", [Draw(), Draw(seed=1)], closed)


def test_a_result_copied_over_anothers_is_refused(store: Store):
    store.put(Draw(), Number(1.0, 1), Work(0.0))
    store.put(Draw(seed=1), Number(2.0, 1), Work(0.0))
    store.result_path(Draw()).write_bytes(store.result_path(Draw(seed=1)).read_bytes())
    with pytest.raises(DamagedError, match="the result of another cell"):
        store.get(Draw())


def test_every_flipped_bit_of_a_result_file_is_noticed(store: Store):
    store.put(Draw(), Number(1.25, 3), Work(2.5, files={"a.txt": FileMark(1, "ab")}))
    path = store.result_path(Draw())
    whole = path.read_bytes()
    for place in range(8 * len(whole)):
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << place % 8
        path.write_bytes(flipped)
        with pytest.raises(DamagedError):
            store.get(Draw())


def test_a_result_of_format_1_is_read_as_before(store: Store):
    body = msgspec.json.encode(Number(1.25, 3))
    old = {
        "format": 1, "key": key_of(Draw()), "described": {}, "seconds": 1.0, "created": "", "isogloss": "0.9",
        "checksum": hashlib.sha256(body).hexdigest(), "record": msgspec.Raw(body),
    }  # fmt: skip
    path = store.result_path(Draw())
    path.parent.mkdir(parents=True)
    path.write_bytes(msgspec.json.encode(old))
    store.check(Draw())
    assert store.get(Draw()) == Number(1.25, 3)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def add(path: Path) -> None:
    path.with_name("planted.json").write_text("{}")


@pytest.mark.parametrize("harm", [cut, flip, Path.unlink, add])
def test_a_damaged_file_of_a_cells_folder_is_named_and_computed_again(store: Store, harm: Callable[[Path], None]):
    total = Total((Draw(seed=1),))
    Inline().run("toy", [total], store)
    sound = store.get(total)
    harm(store.folder(Draw(seed=1)) / "steps.txt")
    with pytest.raises(DamagedError, match=r"steps.txt|planted.json"):
        store.check(Draw(seed=1))
    outcome = Inline().run("toy", [total], store)
    assert (outcome.found, outcome.computed) == (1, 1)
    assert str(store.folder(Draw(seed=1))) in outcome.damaged[0]
    store.check(Draw(seed=1))
    assert store.get(total) == sound


def test_damage_that_a_cell_meets_fails_that_cell_and_is_mended_by_the_next_run(
    store: Store, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("isogloss.runs.engine.SMALL", 1)  # as if the file were large weights, not read at the start
    Inline().run("toy", [Draw(seed=1)], store)
    flip(store.folder(Draw(seed=1)) / "steps.txt")
    outcome = Inline().run("toy", [Total((Draw(seed=1),))], store)
    (failure,) = outcome.failures.values()
    assert "steps.txt: this file is not as it was written" in failure.message
    assert outcome.exit_code == 2
    assert Inline().run("toy", [Total((Draw(seed=1),))], store).exit_code == 0


def test_forgetting_a_cell_also_drops_its_checkpoints(store: Store):
    store.workspace(Draw()).mkdir(parents=True)
    (store.workspace(Draw()) / "steps.txt").write_text("no number")
    store.forget(Draw())
    assert Inline().run("toy", [Draw()], store).exit_code == 0


def test_a_file_system_without_locks_is_said(store: Store, monkeypatch: pytest.MonkeyPatch):
    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("isogloss.runs.work.FileLock.acquire", no_locks)
    (failure,) = Inline().run("toy", [Draw()], store).failures.values()
    assert "has no locks" in failure.message and failure.users_mistake


def test_a_failed_write_leaves_the_old_result_and_no_litter(store: Store, monkeypatch: pytest.MonkeyPatch):
    store.put(Draw(), Number(1.0, 1), Work(0.0))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        store.put(Draw(), Number(2.0, 1), Work(0.0))
    assert store.get(Draw()) == Number(1.0, 1)
    assert [path.name for path in store.result_path(Draw()).parent.iterdir()] == [store.result_path(Draw()).name]


def test_a_success_clears_an_earlier_failure(store: Store):
    store.put_failure(Draw(), Failure("draw", "bad luck"))
    assert store.failure(Draw()) == Failure("draw", "bad luck")
    store.put(Draw(), Number(1.0, 1), Work(0.0))
    assert store.failure(Draw()) is None
