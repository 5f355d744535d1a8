"""The engine for this machine: worker processes, and no more threads at a time than there are cores.

How many threads a cell has is a matter of the cell alone (``threads_of``), so its numbers are those of every engine.
A worker that dies (killed, out of memory) costs only the cell it was at. When this process dies, its workers end too.
"""

import gc
import multiprocessing
import os
import signal
import threading
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess, parent_process
from pathlib import Path
from typing import Any

from isogloss.errors import IsoglossError
from isogloss.plugins import load_named_plugins
from isogloss.progress import Task
from isogloss.runs.cells import Cell
from isogloss.runs.engine import Engine, Outcome, note_end
from isogloss.runs.plan import Plan
from isogloss.runs.resources import threads_of
from isogloss.runs.store import Failure, Store
from isogloss.runs.threads import begin_with, cores
from isogloss.runs.view import RunView
from isogloss.runs.work import Job, do_job, job_of

STOP_SECONDS = 5.0  # for an idle worker to leave by itself
_SPAWN = multiprocessing.get_context("spawn")  # fork and a loaded torch do not go together


@dataclass
class Worker:
    """A worker process, the pipe to it, the key of the cell it is at, and that cell's threads."""

    process: BaseProcess
    pipe: Connection
    key: str | None = None
    threads: int = 0
    began: bool = False  # whether it came as far as waiting for work
    ended: int = 0  # cells


class Local(Engine):
    """``workers`` processes side by side, never more than there are cells to compute.

    0: as many as there are cores, and cells with several threads run side by side only where the cores suffice.
    """

    def __init__(self, workers: int = 0) -> None:
        self.workers = workers

    def side_by_side(self, cell: Cell[Any]) -> int:
        return self.workers or max(1, cores() // threads_of(cell))

    def _run_missing(self, plan: Plan, store: Store, view: RunView, outcome: Outcome) -> None:
        count = min(self.workers or cores(), plan.open)
        room = None if self.workers else cores()
        pool = [_start(store.root) for _ in range(count)]
        try:
            while _hand_out(plan, pool, view, room) or any(worker.key for worker in pool):
                for worker in _speaking(pool):
                    _listen(worker, pool, plan, store, view, outcome)
            for worker in pool:
                worker.pipe.send(None)
                worker.process.join(STOP_SECONDS)
        finally:
            for worker in pool:
                worker.process.terminate()
            for worker in pool:
                worker.process.join()


def _hand_out(plan: Plan, pool: list[Worker], view: RunView, room: int | None) -> bool:
    """Give idle workers cells that can run, up to ``room`` threads in all; whether any cell is still open."""

    def fits(cell: Cell[Any]) -> bool:
        busy = sum(worker.threads for worker in pool if worker.key)
        return room is None or not busy or busy + threads_of(cell) <= room

    for worker in pool:
        if worker.key is None and (key := plan.next(fits)) is not None:
            job = job_of(plan.cells[key], view.title)
            worker.key, worker.threads = key, job.threads
            worker.pipe.send(job)
            view.started(key, plan.labels[key], first=not worker.ended)
    return plan.open > 0


def _speaking(pool: list[Worker]) -> list[Worker]:
    """Workers that sent something or died; half a second at most, so that the view's clock moves."""
    ready = wait([source for worker in pool for source in (worker.pipe, worker.process.sentinel)], timeout=0.5)
    return [worker for worker in pool if worker.pipe in ready or worker.process.sentinel in ready]


def _listen(worker: Worker, pool: list[Worker], plan: Plan, store: Store, view: RunView, outcome: Outcome) -> None:
    try:
        message = worker.pipe.recv() if worker.pipe.poll() else None
    except (EOFError, ConnectionError):
        message = None
    if message is None:
        if not worker.process.is_alive():
            pool[pool.index(worker)] = _replace(worker, plan, store, view, outcome)
    elif message[0] == "began":
        worker.began = True
    elif message[0] == "progress":
        view.moved(worker.key, *message[1:])
    elif worker.key is not None:
        key, worker.key = worker.key, None
        worker.ended += 1
        note_end(key, message[1], plan, view, outcome)


def _replace(worker: Worker, plan: Plan, store: Store, view: RunView, outcome: Outcome) -> Worker:
    """A new worker for one that died; the cell it was at has failed."""
    worker.process.join()
    code = worker.process.exitcode or 0
    if not worker.began and code > 0:  # so would every other one
        raise IsoglossError(
            f"worker processes end as soon as they start (exit code {code}); see their output above",
            remedy="in your own script, start the run under: if __name__ == '__main__':",
        )
    if worker.key is not None:
        cause = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        hint = "; the machine may be out of memory: try fewer --workers" if code == -signal.SIGKILL else ""
        cell = plan.cells[worker.key]
        failure = Failure(cell.label(), f"the worker process died ({cause}){hint}")
        store.put_failure(cell, failure)
        note_end(worker.key, failure, plan, view, outcome)
    return _start(store.root)


def _start(root: Path) -> Worker:
    ours, theirs = _SPAWN.Pipe()
    process = _SPAWN.Process(target=_serve, args=(theirs, root), daemon=True)
    process.start()
    theirs.close()
    return Worker(process, ours)


def _serve(pipe: Connection, root: Path) -> None:
    """A worker's life: take a cell, do it, say how it ended; until told to stop or the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business; it ends its workers
    begin_with(threads=1)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")  # the view shows progress
    threading.Thread(target=_die_with_parent, daemon=True).start()
    Task.listener = lambda *progress: pipe.send(("progress", *progress))
    load_named_plugins()
    store = Store(root)
    pipe.send(("began",))
    while True:
        try:
            job: Job | None = pipe.recv()
        except (EOFError, ConnectionError):
            return
        if job is None:
            return
        pipe.send(("ended", do_job(job, store)))
        if not gc.get_freeze_count():  # libraries are open now: no collection need look at them again
            gc.collect()
            gc.freeze()


def _die_with_parent() -> None:
    """End this process at once when the parent was killed: its results would have no reader."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
