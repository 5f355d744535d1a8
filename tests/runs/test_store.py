import json
import os
from pathlib import Path

import pytest
from toy_cells import Draw, Number

from isogloss.errors import IsoglossError
from isogloss.runs import Failure, Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def test_what_is_put_is_what_is_got(store: Store):
    assert store.get(Draw()) is None
    store.put(Draw(), Number(0.1 + 0.2, 3), seconds=1.5)
    assert store.get(Draw()) == Number(0.1 + 0.2, 3)
    assert store.seconds(Draw()) == 1.5
    assert Store(store.root).get(Draw()) == Number(0.1 + 0.2, 3)


def test_a_result_file_says_what_it_is_the_result_of(store: Store):
    store.put(Draw(seed=5), Number(1.0, 1), seconds=0.0)
    content = json.loads(store.result_path(Draw(seed=5)).read_text())
    assert content["described"]["inputs"] == {"seed": 5, "steps": 4, "pause": 0.0}


@pytest.mark.parametrize("keep", [0, 1, 40, -1])
def test_a_truncated_result_is_an_error_that_names_the_file(store: Store, keep: int):
    store.put(Draw(), Number(1.0, 1), seconds=0.0)
    path = store.result_path(Draw())
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(IsoglossError, match=r"damaged.*\n.*delete it") as caught:
        store.get(Draw())
    assert caught.value.where == str(path)


def test_a_changed_number_in_a_result_is_noticed(store: Store):
    store.put(Draw(), Number(1.25, 1), seconds=0.0)
    path = store.result_path(Draw())
    path.write_text(path.read_text().replace("1.25", "9.25"))
    with pytest.raises(IsoglossError, match="checksum"):
        store.get(Draw())


def test_a_result_of_an_older_form_names_the_version_as_the_cure(store: Store, monkeypatch: pytest.MonkeyPatch):
    store.put(Draw(), Number(1.0, 1), seconds=0.0)
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
    store.put(Draw(), Number(1.0, 1), seconds=0.0)
    path = store.result_path(Draw())
    path.write_text(path.read_text().replace('"format":1', '"format":2', 1))
    with pytest.raises(IsoglossError, match="newer Isogloss"):
        store.get(Draw())


def test_a_store_below_a_file_is_an_error_that_names_the_folder(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(IsoglossError, match="cannot create this folder"):
        Store(tmp_path / "file" / "store")


def test_a_store_without_write_permission_is_refused(store: Store, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write anywhere, so chmod would not do
    with pytest.raises(IsoglossError, match="cannot be written"):
        Store(store.root)


def test_a_failed_write_leaves_the_old_result_and_no_litter(store: Store, monkeypatch: pytest.MonkeyPatch):
    store.put(Draw(), Number(1.0, 1), seconds=0.0)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        store.put(Draw(), Number(2.0, 1), seconds=0.0)
    assert store.get(Draw()) == Number(1.0, 1)
    assert [path.name for path in store.result_path(Draw()).parent.iterdir()] == [store.result_path(Draw()).name]


def test_a_success_clears_an_earlier_failure(store: Store):
    store.put_failure(Draw(), Failure("draw", "bad luck"))
    assert store.failure(Draw()) == Failure("draw", "bad luck")
    store.put(Draw(), Number(1.0, 1), seconds=0.0)
    assert store.failure(Draw()) is None
