"""The mark of a run on a cluster: a file in the store, there while the run is, and locked by it.

The lock goes with its process, however that ends. So a mark whose lock is free is of a run that was killed: the next
run on a cluster removes it, and ``isogloss doctor --store --repair`` does.
"""

import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from isogloss import __version__
from isogloss.files import make_folder, write_whole
from isogloss.runs.ray_progress import progress_folder
from isogloss.runs.work import locked

FOLDER = "ray"  # in a store


@contextmanager
def run_mark(root: Path) -> Iterator[Path]:
    """A mark of this run, that every worker must see: a store that is not shared would lose results unseen."""
    folder = make_folder(root / FOLDER)
    for dead in dead_marks(root):
        remove_mark(dead)
    path = folder / uuid.uuid4().hex
    with locked(lock_of(path)):
        make_folder(progress_folder(path))
        write_whole(path, __version__.encode())
        try:
            yield path
        finally:
            remove_mark(path)


def dead_marks(root: Path) -> list[Path]:
    """Marks that no living run holds; those of releases without locks, which nobody can tell, are left out."""
    return [path for path in _marks(root) if lock_of(path).exists() and _is_free(lock_of(path))]


def _marks(root: Path) -> list[Path]:
    return [path for path in sorted((root / FOLDER).glob("*")) if path.is_file() and not path.suffix]


def _is_free(lock: Path) -> bool:
    try:
        with FileLock(lock, timeout=0):
            return True
    except (Timeout, OSError, NotImplementedError):
        return False


def remove_mark(path: Path) -> None:
    """A mark with all that lies beside it; workers that are still at its cells stop."""
    with suppress(OSError):  # on a store that cannot be written now, the next run tries again
        path.unlink(missing_ok=True)
        lock_of(path).unlink(missing_ok=True)
    shutil.rmtree(progress_folder(path), ignore_errors=True)


def lock_of(mark: Path) -> Path:
    return mark.with_suffix(".lock")
