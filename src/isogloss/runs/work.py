"""Do one cell: lock it, run it, keep its result or its error. The same for every engine."""

import errno
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock

from isogloss.digests import DamagedError
from isogloss.errors import IsoglossError, explain_os_error
from isogloss.files import make_folder
from isogloss.memory import keep_freed_memory
from isogloss.runs.cells import Bench, Cell
from isogloss.runs.envelope import Work
from isogloss.runs.resources import threads_of
from isogloss.runs.store import Failure, Store
from isogloss.runs.threads import fixed_threads

WITHOUT_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP}
Record = TypeVar("Record")


class StoreBench(Bench):
    """A bench whose results and folders lie in a store."""

    def __init__(self, store: Store, cell: Cell[Any]) -> None:
        self._store, self._cell = store, cell

    def result(self, cell: Cell[Record]) -> Record:
        try:
            record = self._store.get(cell)
        except DamagedError:
            self._store.set_aside(cell)
            raise
        if record is None:
            raise IsoglossError(
                f"the result of '{cell.label()}' is missing",
                where=self._store.result_path(cell),
                remedy="run the same command again: it is computed then",
            )
        return record

    def folder(self, cell: Cell[Any]) -> Path:
        return self._store.sound_folder(cell)

    @property
    def workspace(self) -> Path:
        return make_folder(self._store.workspace(self._cell))


@dataclass(frozen=True)
class Job:
    """A cell to compute, with how many threads, and for which study."""

    cell: Cell[Any]
    threads: int
    study: str


def job_of(cell: Cell[Any], study: str) -> Job:
    """The job that every engine makes of a cell."""
    return Job(cell, threads_of(cell), study)


def do_job(job: Job, store: Store) -> Failure | None:
    """Compute one cell into the store; None when it is there afterwards, its failure otherwise.

    A lock lets several processes share a store: whoever comes second waits and then finds the result.
    """
    cell = job.cell
    keep_freed_memory()
    try:
        with locked(store.lock_path(cell)), fixed_threads(job.threads):
            if not store.has(cell):
                start = time.perf_counter()
                record = cell.run(StoreBench(store, cell))
                if not isinstance(record, cell.record):
                    raise TypeError(f"cell '{cell.name}' returned {type(record).__name__}, not {cell.record.__name__}")
                files = store.keep_workspace(cell)
                store.put(cell, record, Work(time.perf_counter() - start, job.threads, job.study, files))
    except Exception as error:  # noqa: BLE001  (a cell's failure is a result too: it is kept, shown and ends the run non-zero)
        failure = describe_failure(cell, error)
        with suppress(OSError):  # on a full disk the failure cannot be kept, but it is returned and shown
            store.put_failure(cell, failure)
        return failure
    return None


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock; without it two processes could write into one workspace, and their work would mix."""
    lock = FileLock(path)
    try:
        lock.acquire()
    except (NotImplementedError, OSError) as error:
        if isinstance(error, OSError) and error.errno not in WITHOUT_LOCKS:
            raise
        raise IsoglossError(
            "the store's file system has no locks",
            where=path.parent,
            remedy="point ISOGLOSS_HOME at a folder on a local disk, or on a network file system mounted with locks",
        ) from error
    try:
        yield
    finally:
        lock.release()


def describe_failure(cell: Cell[Any], error: Exception) -> Failure:
    """A user's mistake keeps only its message; anything else keeps the traceback for a bug report."""
    mistake = error if isinstance(error, IsoglossError) else explain_os_error(error)
    if isinstance(mistake, IsoglossError):
        return Failure(cell.label(), str(mistake), users_mistake=True)
    text = "".join(traceback.format_exception(error))
    return Failure(cell.label(), f"{type(error).__name__}: {error}", text)
