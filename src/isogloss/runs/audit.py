"""A store looked through from end to end: what is damaged, what is left over, how large and how old it all is."""

import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from filelock import FileLock, Timeout

from isogloss.digests import DamagedError
from isogloss.errors import IsoglossError
from isogloss.progress import track
from isogloss.runs.envelope import Envelope, check_files, files_below, read_envelope
from isogloss.runs.ray_marks import dead_marks, remove_mark
from isogloss.runs.store import DAMAGED

DAY = 24 * 3600.0
Kind = Literal[
    "damaged", "set aside", "folder without a result", "unfinished work", "failure", "half-written file",
    "mark of a killed run",
]  # fmt: skip
KEPT: tuple[Kind, ...] = ("unfinished work", "failure")  # a run takes these up again; repairing leaves them


@dataclass(frozen=True)
class Stored:
    """One sound result: which cell's, which study's run computed it, when, and its size with its folder."""

    key: str
    cell: str
    study: str
    created: float  # seconds since 1970
    bytes: int
    format: int


@dataclass(frozen=True)
class Left:
    """Something in a store that is not a sound result."""

    kind: Kind
    path: Path
    key: str
    bytes: int
    changed: float
    why: str = ""


@dataclass(frozen=True)
class Audit:
    """All that a store holds."""

    root: Path
    results: tuple[Stored, ...]
    left: tuple[Left, ...]

    @property
    def damaged(self) -> tuple[Left, ...]:
        return tuple(one for one in self.left if one.kind == "damaged")

    @property
    def bytes(self) -> int:
        return sum(one.bytes for one in self.results) + sum(one.bytes for one in self.left)


def audit(root: Path, thorough: bool = True) -> Audit:
    """Look through a store; ``thorough`` reads every file to compare its digest, otherwise sizes must do."""
    if not (root / "store.json").is_file():
        raise IsoglossError("there is no store here", where=root, remedy="name a folder that holds store.json")
    results: list[Stored] = []
    left: list[Left] = []
    for path in track(sorted((root / "results").glob("*/*.json")), "reading results"):
        if path.name.endswith(".error.json"):
            left.append(_left("failure", path, path.name.partition(".")[0]))
        elif path.name.endswith(DAMAGED):
            left.append(_left("set aside", path, path.name.partition(".")[0]))
        else:
            found = _look(root, path, thorough)
            results.append(found) if isinstance(found, Stored) else left.append(found)
    keys = {one.key for one in results} | {one.key for one in left if one.kind == "damaged"}
    folders = sorted((root / "folders").glob("*"))
    left += [_left("folder without a result", path, path.name) for path in folders if path.name not in keys]
    left += [_left("unfinished work", path, path.name) for path in sorted((root / "work").glob("*"))]
    left += [_left("half-written file", path, "") for path in sorted((root / "results").glob("*/.*.part"))]
    left += [_left("mark of a killed run", path, "") for path in dead_marks(root)]
    return Audit(root, tuple(results), tuple(left))


def _look(root: Path, path: Path, thorough: bool) -> Stored | Left:
    key, folder = path.stem, root / "folders" / path.stem
    size = path.stat().st_size + _size(folder)
    try:
        envelope = read_envelope(path.read_bytes(), path)
        if envelope.files is not None:
            check_files(folder, envelope.files, at_most=None if thorough else 0)
    except DamagedError as error:
        return Left("damaged", path, key, size, path.stat().st_mtime, f"{error.where}: {error.what}")
    cell = str(envelope.described.get("cell", ""))
    return Stored(key, cell, envelope.study, _created(envelope, path), size, envelope.format)


def _created(envelope: Envelope, path: Path) -> float:
    try:
        return datetime.fromisoformat(envelope.created).timestamp()
    except ValueError:
        return path.stat().st_mtime


def repair(found: Audit) -> list[Left]:
    """Delete what is damaged or left over, so that runs compute it again; what a run is at now is not touched."""
    gone = []
    for one in found.left:
        if one.kind in KEPT:
            continue
        with _idle(found.root, one.key) as idle:
            if idle:
                remove_mark(one.path) if one.kind == "mark of a killed run" else _delete(one.path)
                if one.kind == "damaged":
                    _delete(found.root / "folders" / one.key)
                gone.append(one)
    return gone


def prune(
    found: Audit, *, older_than_days: float = 0.0, study: str | None = None, to_bytes: int | None = None
) -> list[Stored]:
    """Delete results by age, by the study whose run computed them, or, the oldest first, down to a size."""
    limit = time.time() - older_than_days * DAY
    old = [one for one in found.results if one.created <= limit and study in {None, one.study}]
    total, gone = found.bytes, []
    for one in sorted(old, key=lambda stored: stored.created):
        if to_bytes is not None and total <= to_bytes:
            break
        with _idle(found.root, one.key) as idle:
            if idle:
                for path in (*(found.root / "results").glob(f"*/{one.key}.json"), found.root / "folders" / one.key):
                    _delete(path)
                total -= one.bytes
                gone.append(one)
    return gone


class _idle:  # noqa: N801  (reads as a word: ``with _idle(root, key) as idle``)
    """Whether nobody computes a cell now; nobody can begin to while this is held."""

    def __init__(self, root: Path, key: str) -> None:
        self._lock = FileLock(root / "locks" / f"{key or 'audit'}.lock", timeout=0)

    def __enter__(self) -> bool:
        Path(self._lock.lock_file).parent.mkdir(exist_ok=True)
        try:
            self._lock.acquire()
        except Timeout:
            return False
        return True

    def __exit__(self, *exception: object) -> None:
        self._lock.release()


def _left(kind: Kind, path: Path, key: str) -> Left:
    return Left(kind, path, key, _size(path), path.stat().st_mtime)


def _size(path: Path) -> int:
    """Bytes of a file, or of all files below a folder."""
    return path.stat().st_size if path.is_file() else sum(_sizes(path))


def _sizes(folder: Path) -> Iterator[int]:
    for path in files_below(folder):
        with suppress(FileNotFoundError):  # a run is at work
            yield path.stat().st_size


def _delete(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
