"""The same key, the same number: whatever the engine, the workers, and what was left to do after a kill."""

import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import pytest

from isogloss.runs import Inline, Plan, Store, make_engine
from isogloss.studies import transfer
from isogloss.studies.study import get_study

CONFIG = transfer.Config(
    models=("lab:twins@30",), data="lab:twins", limit=30, test_limit=30, seeds=(0, 1), methods=("plain", "fusion:1")
)
TIMES = {"seconds"}  # what a clock says is no number of the study


def planned() -> Any:
    return get_study("transfer").plan(CONFIG).cells


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_times(part) for name, part in value.items() if name not in TIMES}
    return [without_times(part) for part in value] if isinstance(value, list) else value


def numbers(root: Path) -> dict[str, Any]:
    """Every record of the plan, to the last bit."""
    store, cells = Store(root), Plan(planned()).cells
    assert all(store.has(cell) for cell in cells.values())
    return {key: without_times(msgspec.to_builtins(store.get(cell))) for key, cell in cells.items()}


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The numbers of an undisturbed run in this process."""
    root = tmp_path_factory.mktemp("calm")
    assert Inline().run("transfer", planned(), Store(root)).exit_code == 0
    return numbers(root)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2, 4])
def test_any_number_of_workers_gives_the_same_numbers(workers: int, calm: dict[str, Any], tmp_path: Path):
    engine = make_engine("local", workers)
    assert engine.run("transfer", planned(), Store(tmp_path)).exit_code == 0
    assert numbers(tmp_path) == calm


@pytest.mark.slow
def test_a_killed_run_resumes_to_the_same_numbers(calm: dict[str, Any], tmp_path: Path):
    """Killed when some cells are done: the others used to get more threads than they would have had."""
    process = subprocess.Popen([sys.executable, __file__, str(tmp_path)], start_new_session=True)
    while len(list((tmp_path / "results").rglob("*.json"))) < 2 and process.poll() is None:
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert 0 < len(list((tmp_path / "results").rglob("*.json"))) < len(calm)
    assert make_engine("local", 2).run("transfer", planned(), Store(tmp_path)).exit_code == 0
    assert numbers(tmp_path) == calm


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is an extra: pip install 'isogloss[ray]'")
def test_ray_gives_the_same_numbers(calm: dict[str, Any], tmp_path: Path):
    engine = make_engine("ray", 2)
    assert engine.run("transfer", planned(), Store(tmp_path)).exit_code == 0
    assert numbers(tmp_path) == calm


if __name__ == "__main__":
    make_engine("local", 2).run("transfer", planned(), Store(Path(sys.argv[1])))
