"""The Ray engine: a cluster of two machines (processes here) gives what this process gives, and survives what dies."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import toy_cells
from toy_cells import After, Count, Draw, Fail, Threads, plan

from isogloss import __version__
from isogloss.errors import IsoglossError
from isogloss.pretrain.lab_encoder import LabEncoder
from isogloss.runs import Inline, Store, key_of, make_engine
from isogloss.runs.plan import Plan
from isogloss.runs.ray import Losses, Ray, check_worker
from isogloss.runs.ray_tasks import Supply, check_memory, task_options
from isogloss.runs.resources import Resources, resources_of
from isogloss.runs.view import RunView
from isogloss.transfer import FineTune, Settings, Tuned

NEEDS_RAY = pytest.mark.skipif(find_spec("ray") is None, reason="Ray is an extra: pip install 'isogloss[ray]'")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two machines of two CPUs each, as processes; workers find the toy cells by PYTHONPATH."""
    from ray.cluster_utils import Cluster

    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(toy_cells.__file__).parent), *([before] if before else [])])
    machines = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
    machines.add_node(num_cpus=2)
    machines.wait_for_nodes()
    yield machines
    machines.shutdown()
    os.environ.pop("PYTHONPATH") if before is None else os.environ.update(PYTHONPATH=before)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@NEEDS_RAY
@pytest.mark.slow
def test_a_cluster_gives_the_records_of_this_process_and_computes_nothing_twice(cluster: Any, tmp_path: Path):
    far, near = Store(tmp_path / "far"), Store(tmp_path / "near")
    engine = Ray(cluster.address)
    outcome = engine.run("toy", plan(4, pause=0.0), far)
    assert (outcome.computed, outcome.found, outcome.exit_code) == (6, 0, 0)
    Inline().run("toy", plan(4, pause=0.0), near)
    cells = Plan(plan(4, pause=0.0)).cells.values()
    assert [far.get(cell) for cell in cells] == [near.get(cell) for cell in cells]
    assert engine.run("toy", plan(4, pause=0.0), far).found == 6
    assert not list((far.root / "ray").iterdir())


@NEEDS_RAY
@pytest.mark.slow
def test_a_lost_worker_costs_only_its_cell_and_a_failed_cell_only_what_needs_it(cluster: Any, store: Store):
    killed, broken = Fail("killed"), Fail("bug")
    outcome = Ray(cluster.address).run("toy", [killed, After(broken), Fail("mistake"), *plan(3, pause=0.0)], store)
    assert outcome.computed == 5 and outcome.exit_code == 1
    assert set(outcome.failures) == {key_of(killed), key_of(broken), key_of(Fail("mistake"))}
    assert outcome.skipped == {key_of(After(broken)): "fail"}
    assert "worker was lost 2 times" in outcome.failures[key_of(killed)].message
    lost, failure = store.failure(killed), store.failure(broken)
    assert lost is not None and "worker was lost" in lost.message
    assert failure is not None and "toy_cells.py" in failure.traceback
    assert outcome.failures[key_of(Fail("mistake"))].users_mistake


@NEEDS_RAY
@pytest.mark.slow
def test_a_cell_has_the_threads_that_it_asks_for(cluster: Any, store: Store):
    cells = [Threads(threads=2), Threads(threads=1, run_again=1), Threads(threads=2, run_again=2)]
    assert Ray(cluster.address, workers=1).run("toy", cells, store).exit_code == 0
    assert [record.value for record in map(store.get, cells) if record] == [2, 1, 2]


@NEEDS_RAY
@pytest.mark.slow
def test_cells_lost_with_their_machine_are_tried_again_elsewhere(cluster: Any, tmp_path: Path):
    """All machines at work; one is killed in the middle. The run ends with the numbers of an undisturbed one."""
    doomed = cluster.add_node(num_cpus=2)
    cluster.wait_for_nodes()
    far, near = Store(tmp_path / "far"), Store(tmp_path / "near")
    cells = [Draw(seed=seed, steps=4, pause=1.0) for seed in range(12)]

    def kill() -> None:
        deadline = time.monotonic() + 60
        while not list((far.root / "results").rglob("*.json")) and time.monotonic() < deadline:
            time.sleep(0.1)
        cluster.remove_node(doomed, allow_graceful=False)

    killer = threading.Thread(target=kill)
    killer.start()
    outcome = Ray(cluster.address).run("toy", cells, far)
    killer.join()
    assert (outcome.computed, outcome.failures) == (12, {})
    Inline().run("toy", cells, near)
    assert [far.get(cell) for cell in cells] == [near.get(cell) for cell in cells]


def test_only_a_cell_that_kills_its_workers_fails():
    losses = Losses()
    assert all(losses.may_try_again("a", with_node=True) for _ in range(5))
    assert losses.may_try_again("a", with_node=False)
    assert not losses.may_try_again("a", with_node=False)
    assert "lost 7 times" in losses.failure(Draw(), "a", RuntimeError("gone")).message


DRIVERS = """
import sys
from pathlib import Path
from toy_cells import Count
from isogloss.runs import Store
from isogloss.runs.ray import Ray

root, address, folder = sys.argv[1:]
outcome = Ray(address).run("toy", [Count(folder, number) for number in range(12)], Store(Path(root)))
sys.exit(outcome.exit_code)
"""


@NEEDS_RAY
@pytest.mark.slow
def test_two_drivers_on_one_store_compute_each_cell_once(cluster: Any, tmp_path: Path):
    (tmp_path / "counts").mkdir()
    environment = {**os.environ}  # which has the cluster's PYTHONPATH
    command = [sys.executable, "-c", DRIVERS, str(tmp_path / "store"), cluster.address, str(tmp_path / "counts")]
    drivers = [subprocess.Popen(command, env=environment, stderr=subprocess.PIPE) for _ in range(2)]
    ended = [(driver.communicate(timeout=120)[1], driver.returncode) for driver in drivers]
    assert all(code == 0 for _, code in ended), ended
    assert [len(path.read_text()) for path in sorted((tmp_path / "counts").iterdir())] == [1] * 12


@NEEDS_RAY
@pytest.mark.slow
def test_progress_inside_a_cell_is_shown(cluster: Any, store: Store, monkeypatch: pytest.MonkeyPatch):
    seen: list[tuple[Any, ...]] = []
    monkeypatch.setattr(RunView, "moved", lambda self, key, *told: seen.append((key, *told)))
    assert Ray(cluster.address).run("toy", [Count(str(store.root), 0, seconds=4.0)], store).exit_code == 0
    key = key_of(Count(str(store.root), 0, seconds=4.0))
    done = [told[2] for told in seen if told[0] == key and told[1] == "counting"]
    assert done == sorted(done) and len(set(done)) >= 2


# In a connection that the caller opened, the caller goes on after Ctrl-C, and its tasks would too.
DRIVER = """
import sys
from pathlib import Path
import ray
from toy_cells import plan
from isogloss.runs import Store
from isogloss.runs.ray import Ray

way, root, address = sys.argv[1:]
if way == "the caller's":
    ray.init(address=address, logging_level="ERROR", log_to_driver=False)
try:
    Ray("" if way == "its own" else address, workers=2).run("toy", plan(400, 0.6), Store(Path(root)))
except KeyboardInterrupt:
    print("stopped by Ctrl-C", file=sys.stderr, flush=True)
    if way == "the caller's":
        sys.stdin.read()
"""


@NEEDS_RAY
@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "how"),
    [
        ("its own", signal.SIGINT),
        ("another's", signal.SIGINT),
        ("the caller's", signal.SIGINT),
        ("its own", signal.SIGTERM),
        ("another's", signal.SIGTERM),
    ],
)
def test_ctrl_c_and_sigterm_stop_the_run_and_keep_what_was_finished(
    way: str, how: signal.Signals, cluster: Any, tmp_path: Path
):
    """On a cluster that the run starts for itself, on one that it joins, and in a connection that is open already."""
    root = tmp_path / "store"
    environment = {**os.environ}  # which has the PYTHONPATH of the cluster
    command = [sys.executable, "-c", DRIVER, way, str(root), cluster.address]
    pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, env=environment, start_new_session=True, **pipes)
    deadline = time.monotonic() + 90
    while not list((root / "results").rglob("*.json")) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert process.poll() is None
    process.send_signal(how)
    if way != "the caller's":
        process.wait(timeout=60)
    wait_until_nobody_writes(root)
    _, errors = process.communicate(timeout=60)
    assert b"stopped by Ctrl-C" in errors and process.returncode == 0, errors.decode()
    assert 0 < len(list((root / "results").rglob("*.json"))) < 402
    assert not list((root / "results").rglob("*.error.json"))
    assert [path for path in (root / "ray").iterdir() if path.is_file()] == [], "the run's mark is gone"


def wait_until_nobody_writes(folder: Path) -> None:
    """Wait until no file under a folder changes for two steps of a toy cell."""
    before: dict[Path, int] | None = None
    for _ in range(20):
        now = None
        with suppress(FileNotFoundError):  # one that was moved meanwhile: somebody writes
            now = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
        if now is not None and now == before:
            return
        before = now
        time.sleep(1.5)
    pytest.fail("cells are still being computed")


@NEEDS_RAY
def test_an_address_where_nobody_answers_is_named(store: Store):
    with pytest.raises(IsoglossError, match="no Ray cluster answers") as caught:
        Ray("127.0.0.1:9").run("toy", [Draw()], store)
    assert "--address 127.0.0.1:9" in str(caught.value)


def test_without_the_extra_the_remedy_is_its_name(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(IsoglossError, match=r"pip install 'isogloss\[ray\]'"):
        make_engine("ray")


def test_an_address_is_for_ray_only():
    with pytest.raises(IsoglossError, match="--engine ray"):
        make_engine("local", address="head:6379")


def test_a_cells_settings_say_what_it_asks_for():
    tuned = FineTune(settings=Settings(threads=3, device="cuda"))
    assert resources_of(tuned) == Resources(3, "cuda")
    assert resources_of(Tuned((tuned,))) == Resources(3, "cuda")  # those of what it is made of
    assert resources_of(LabEncoder()) == Resources(1, "auto")
    assert resources_of(FineTune(model=LabEncoder(), settings=Settings(device="cpu"))).device == "cpu"
    assert resources_of(Draw()) == Resources()


def test_a_cell_takes_cpus_and_gpus_of_the_cluster_as_its_settings_say():
    cell = FineTune(settings=Settings(threads=8, device="auto"))
    asked = {"num_cpus": 8, "num_gpus": 1, "memory": None, "max_retries": 0}
    assert task_options(cell, Supply(64, gpus=4, largest=32)) == asked
    assert task_options(cell, Supply(4, largest=4)) == asked | {"num_cpus": 4, "num_gpus": 0}
    assert task_options(cell, Supply(64, 4, 32, memory=10**9), memory=10**8)["memory"] == 10**8
    assert task_options(cell, Supply(64, 4, 32, memory=10**9), memory=10**10)["memory"] == 10**9
    on_cpu = FineTune(settings=Settings(device="cpu"))
    assert task_options(on_cpu, Supply(4, gpus=1, largest=4))["num_gpus"] == 0
    with pytest.raises(IsoglossError, match="no GPU"):
        task_options(FineTune(settings=Settings(device="cuda")), Supply(4))
    with pytest.raises(IsoglossError, match="assigns GPUs"):
        task_options(FineTune(settings=Settings(device="cuda:1")), Supply(4, gpus=2))


def test_a_cell_larger_than_every_machine_of_the_cluster_is_refused():
    sizes = {0: 10**9, 1: 3 * 10**9}
    planned = Plan([Draw(seed=0), Draw(seed=1)], lambda cell, gpus: sizes[cell.seed] // (10 if gpus else 1))
    check_memory(planned, Supply(4, memory=4 * 10**9))
    check_memory(planned, Supply(4))  # nobody can tell
    check_memory(planned, Supply(4, gpus=1, memory=10**9))
    with pytest.raises(
        IsoglossError, match=r"seed 1\)' needs about 3\.0 GB of memory, and the largest machine .* 2\.0"
    ):
        check_memory(planned, Supply(4, memory=2 * 10**9))
    planned.finish(key_of(Draw(seed=1)))
    check_memory(planned, Supply(4, memory=2 * 10**9))  # what is done needs nothing


@NEEDS_RAY
@pytest.mark.slow
def test_a_run_checks_the_clusters_memory_before_it_starts(cluster: Any, store: Store):
    with pytest.raises(IsoglossError, match="the largest machine of this Ray cluster offers"):
        Ray(cluster.address).run("toy", [Draw()], store, lambda cell, gpus: 10**15)
    assert not store.has(Draw())
    assert Ray(cluster.address).run("toy", [Draw()], store, lambda cell, gpus: 10**6).computed == 1


def test_a_machine_that_does_not_see_the_store_or_has_another_version_refuses_to_work(tmp_path: Path):
    mark = tmp_path / "ray" / "mark"
    with pytest.raises(IsoglossError, match="does not see the store"):
        check_worker(mark)
    mark.parent.mkdir()
    mark.write_text(__version__)
    check_worker(mark)
    mark.write_text("0.0.1")
    with pytest.raises(IsoglossError, match="install the same version"):
        check_worker(mark)
