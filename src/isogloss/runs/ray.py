"""The engine for a cluster: cells as Ray tasks, results in a store that all machines see.

The same plan as on one machine. A machine that dies costs only time: its cells are tried again elsewhere; a cell that
kills its worker twice has failed. A worker stops when the run's mark in the store is gone, so Ctrl-C ends all tasks.
(``ray.cancel`` would do it too, but aborts the driver when the task was ending: ray-project/ray#54260.)
"""

import os
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from isogloss import __version__
from isogloss.errors import IsoglossError, missing_extra
from isogloss.memory import physical_memory
from isogloss.plugins import VARIABLE
from isogloss.progress import Task
from isogloss.runs.cells import Cell, key_of
from isogloss.runs.engine import Engine, Outcome, note_end
from isogloss.runs.plan import Plan
from isogloss.runs.ray_marks import FOLDER, run_mark
from isogloss.runs.ray_progress import Teller, read_progress
from isogloss.runs.ray_tasks import Supply, check_memory, task_options
from isogloss.runs.store import Failure, Store
from isogloss.runs.threads import cores
from isogloss.runs.view import RunView
from isogloss.runs.work import Job, do_job, job_of
from isogloss.stopping import stop_on_sigterm

ADDRESS = "RAY_ADDRESS"
PASSED_ON = (
    "ISOGLOSS_HOME",
    "ISOGLOSS_DATA",
    "ISOGLOSS_PLUGINS",
    "HF_HOME",
    "HF_HUB_OFFLINE",
)  # variables that workers need as we do
SMALL = 100 * 2**20  # bytes of shared memory: results go to the store, only cells pass through Ray
KNOCK_SECONDS = 10.0
WATCH_SECONDS = 0.5
WAIT_SECONDS = 0.5  # so that the view's clock moves
WATCHED = 100  # running cells whose progress is read
TRIES = 2  # of a cell whose worker dies while its machine lives
TRIES_WITH_NODES = 10  # of a cell whose machines die


class Ray(Engine):
    """Cells over the cluster at ``address`` (RAY_ADDRESS by default; with neither, one is started on this machine).

    At most ``workers`` cells at a time; 0: two for each of the cluster's CPUs, so that it can see what is waiting and
    grow. A cell takes as many CPUs as it has threads, the memory that it needs as far as that is known, and a GPU
    where it may use one and there are some.
    """

    here = False

    def __init__(self, address: str = "", workers: int = 0) -> None:
        self.address, self.workers = address, workers
        self._ray = load_ray()

    def _run_missing(self, plan: Plan, store: Store, view: RunView, outcome: Outcome) -> None:
        if not plan.open:
            return
        with self._connected(), run_mark(store.root) as mark:
            check_memory(plan, Supply.of(self._ray))
            running: dict[Any, str] = {}
            losses = Losses()
            task = self._ray.remote(_do)
            while self._hand_out(task, mark, plan, store, view, running) or running:
                ready, _ = self._ray.wait(list(running), num_returns=1, timeout=WAIT_SECONDS)
                for key in list(running.values())[:WATCHED]:
                    if told := read_progress(mark, key):
                        view.moved(key, *told[1:])
                for reference in ready:
                    key = running.pop(reference)
                    try:
                        failure = self._fetch(reference)
                    except self._ray.exceptions.RayError as error:
                        if losses.may_try_again(key, with_node=self._lost_its_node(error, mark, key)):
                            view.lost(key, _first_line(error))
                            plan.reopen(key)
                            continue
                        failure = losses.failure(plan.cells[key], key, error)
                        store.put_failure(plan.cells[key], failure)
                    note_end(key, failure, plan, view, outcome)

    @contextmanager
    def _connected(self) -> Iterator[None]:
        """A connection to the cluster; one that the caller has open already is used and left open."""
        if self._ray.is_initialized():
            yield
            return
        address = self.address or os.environ.get(ADDRESS, "")
        variables = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        variables |= {"TOKENIZERS_PARALLELISM": "false", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
        surroundings: dict[str, Any] = {"env_vars": variables}
        if VARIABLE in variables:  # cells of a plugin can only be read where its file is loaded
            surroundings["worker_process_setup_hook"] = "isogloss.plugins.load_named_plugins"
        own = {"num_cpus": self.workers or cores(), "object_store_memory": SMALL, "include_dashboard": False}
        if (memory := physical_memory()) is not None:
            own["_memory"] = memory  # Ray would offer what is free at this moment
        try:
            knock(address)
            self._ray.init(
                address=address or "local", runtime_env=surroundings, log_to_driver=False,
                logging_level="ERROR", **({} if address else own),
            )  # fmt: skip
        except (OSError, ValueError, RuntimeError, self._ray.exceptions.RayError) as error:
            raise IsoglossError(
                f"no Ray cluster answers ({_first_line(error)})",
                where=f"--address {address}",
                remedy="start one with 'ray start --head' and name its address, or use --engine local",
            ) from error
        stop_on_sigterm()
        try:
            yield
        finally:
            self._ray.shutdown()

    def _hand_out(
        self, task: Any, mark: Path, plan: Plan, store: Store, view: RunView, running: dict[Any, str]
    ) -> bool:
        """Submit cells that can run, up to the limit; whether any cell is still open."""
        supply = Supply.of(self._ray)
        limit = self.workers or 2 * max(1, supply.cpus)
        while len(running) < limit and (key := plan.next()) is not None:
            cell = plan.cells[key]
            options = task_options(cell, supply, plan.memory(cell, supply.gpus > 0))
            view.started(key, plan.labels[key])
            running[task.options(**options).remote(job_of(cell, view.title), str(store.root), mark.name)] = key
        return plan.open > 0

    def _fetch(self, reference: Any) -> Failure | None:
        """How a task ended; a worker that cannot work ends the run."""
        try:
            failure: Failure | None = self._ray.get(reference)
        except self._ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, IsoglossError):
                raise error.cause from None
            raise RuntimeError(str(error)) from error
        return failure

    def _lost_its_node(self, error: Exception, mark: Path, key: str) -> bool:
        """Whether a cell was lost with the machine it was on, and not by what it did to its own process."""
        if isinstance(error, self._ray.exceptions.NodeDiedError):
            return True
        told = read_progress(mark, key)
        alive = {machine["NodeID"] for machine in self._ray.nodes() if machine["Alive"]}
        return told is not None and told[0] not in alive


@dataclass
class Losses:
    """Cells whose worker was lost: tried again elsewhere, unless it is the cell that kills its workers."""

    alone: Counter[str] = field(default_factory=Counter)
    with_nodes: Counter[str] = field(default_factory=Counter)

    def may_try_again(self, key: str, with_node: bool) -> bool:
        """Note a loss; whether the cell deserves another try."""
        (self.with_nodes if with_node else self.alone)[key] += 1
        return self.alone[key] < TRIES and self.with_nodes[key] < TRIES_WITH_NODES

    def failure(self, cell: Cell[Any], key: str, error: Exception) -> Failure:
        times = self.alone[key] + self.with_nodes[key]
        return Failure(
            cell.label(), f"its worker was lost {times} times ({type(error).__name__}: {_first_line(error)})"
        )


def load_ray() -> Any:
    """The library, or how to get it."""
    try:
        return import_module("ray")
    except ImportError as error:
        raise missing_extra("ray", "ray") from error


def knock(address: str) -> None:
    """Whether anybody listens at ``host:port`` or ``ray://host:port``: Ray itself would ask on for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), timeout=KNOCK_SECONDS).close()


def _do(job: Job, root: str, mark: str) -> Failure | None:
    """On a worker: check that it is one of ours, then do the cell as any engine would."""
    path = Path(root) / FOLDER / mark
    check_worker(path)
    Task.listener = Teller(path, key_of(job.cell), load_ray().get_runtime_context().get_node_id())
    with _no_longer_than(path):
        return do_job(job, Store(Path(root)))


@contextmanager
def _no_longer_than(mark: Path) -> Iterator[None]:
    """End this worker when the run that wants its cell has ended; a finished cell is in the store by then."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(WATCH_SECONDS):
            with suppress(OSError):  # a file server that does not answer is not the run's end
                if not mark.exists():
                    os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        done.set()


def check_worker(mark: Path) -> None:
    """Refuse to work on a machine that does not see the store, or with another Isogloss."""
    here = socket.gethostname()
    try:
        version = mark.read_text()
    except FileNotFoundError as error:
        raise IsoglossError(
            "this machine of the cluster does not see the store",
            where=f"{here}: {mark.parent.parent}",
            remedy="point ISOGLOSS_HOME at a folder that all machines share",
        ) from error
    if version != __version__:
        raise IsoglossError(
            f"Isogloss {__version__} on a worker, {version} where the run was started",
            where=here,
            remedy="install the same version on all machines",
        )


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
