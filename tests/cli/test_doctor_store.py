"""``isogloss doctor --store`` and ``isogloss data store``."""

import json
from collections.abc import Callable
from pathlib import Path

from isogloss.pretrain.lab_encoder import LabWorld
from isogloss.runs import Inline, Store
from isogloss.studies.glance.cells import Tags


def fill(home: Path) -> Store:
    store = Store(home / "store")
    Inline().run("glance", [Tags(LabWorld("twins"), pool=20, sentences=20)], store)
    return store


def test_doctor_verifies_the_store_and_repairs_it(isogloss: Callable, isogloss_home: Path):
    store = fill(isogloss_home)
    ran = isogloss("doctor", "--store")
    assert ran.code == 0 and "1 sound results" in ran.out
    path = store.result_path(Tags(LabWorld("twins"), pool=20, sentences=20))
    path.write_bytes(path.read_bytes()[:-5])
    ran = isogloss("doctor", "--store", "--json")
    assert ran.code == 1 and str(path) in json.loads(ran.out)["damaged"][0]
    assert isogloss("doctor", "--store", str(store.root), "--repair").code == 0
    assert isogloss("doctor", "--store").code == 0
    assert not path.exists()


def test_a_path_without_a_store_is_a_users_mistake(isogloss: Callable, isogloss_home: Path, tmp_path: Path):
    assert isogloss("doctor", "--store", str(tmp_path / "nothing")).code == 2
    assert isogloss("doctor", "--repair").code == 2


def test_results_are_listed_and_cleaned(isogloss: Callable, isogloss_home: Path):
    fill(isogloss_home)
    (row,) = json.loads(isogloss("data", "store", "list", "--json").out)
    assert (row["study"], row["cell"], row["results"]) == ("glance", "tags", 1)
    assert "glance" in isogloss("data", "store", "list").out
    assert isogloss("data", "store", "clean").code == 2
    assert isogloss("data", "store", "clean", "--to-size", "lots").code == 2
    assert isogloss("data", "store", "clean", "--study", "align").out.startswith("0 results")
    assert isogloss("data", "store", "clean", "--to-size", "0B").out.startswith("1 results")
