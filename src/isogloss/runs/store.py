"""The store of results: one small file per cell, written whole or not at all, checked when read."""

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from isogloss import __version__
from isogloss.digests import DamagedError
from isogloss.errors import IsoglossError
from isogloss.files import make_folder, write_whole
from isogloss.runs.cells import Cell, describe, key_by_path, key_of
from isogloss.runs.envelope import (
    FORMAT,
    Envelope,
    FileMark,
    Work,
    check_files,
    make_envelope,
    mark_files,
    newer,
    read_envelope,
)

SMALL = 4 * 2**20  # bytes: files up to this size are verified whenever a run starts, larger ones when they are read
DAMAGED = ".damaged.json"
Record = TypeVar("Record")


class Failure(msgspec.Struct, frozen=True):
    """What a failed cell leaves: the message, and the traceback unless it was a user's mistake."""

    label: str
    message: str
    traceback: str = ""
    users_mistake: bool = False


class Store:
    """Results under one folder, shared by all studies that are given the same folder.

    A store that cannot be written serves the results that are in it.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.writable = self._check_format()

    def get(self, cell: Cell[Record]) -> Record | None:
        """The cell's record, or None if it was not computed yet; a damaged file is an error that names it."""
        envelope = self._envelope(cell)
        if envelope is None:
            return None
        try:
            record: Record = msgspec.json.decode(envelope.record, type=cell.record)
        except msgspec.ValidationError as error:
            path = self.result_path(cell)
            raise IsoglossError(
                f"this result does not have the form that cell '{cell.name}' writes now ({error})",
                where=path,
                remedy="delete this file; a change of the form should also bump the cell's version",
            ) from error
        return record

    def has(self, cell: Cell[Any]) -> bool:
        """Whether a result is there (not whether it is sound: ``get`` and ``check`` say that)."""
        return self.result_path(cell).exists()

    def check(self, cell: Cell[Any], at_most: int | None = None) -> None:
        """Raise ``DamagedError`` unless the result and every file of the cell's folder are as they were written."""
        envelope = self._envelope(cell)
        if envelope is not None and envelope.files is not None:
            check_files(self.folder(cell), envelope.files, at_most)

    def seconds(self, cell: Cell[Any]) -> float:
        """How long the cell took when it was computed."""
        envelope = self._envelope(cell)
        return envelope.seconds if envelope is not None else 0.0

    def put(self, cell: Cell[Record], record: Record, work: Work) -> None:
        """Keep a result and how it came about; the error of an earlier try goes away."""
        key = key_of(cell)
        content = make_envelope(key, describe(cell), msgspec.json.encode(record), work)
        write_whole(self._path_of_key(key), content)
        self._failure_path(cell).unlink(missing_ok=True)

    def put_failure(self, cell: Cell[Any], failure: Failure) -> None:
        write_whole(self._failure_path(cell), msgspec.json.encode(failure))

    def failure(self, cell: Cell[Any]) -> Failure | None:
        """The error of the cell's last try, if it failed."""
        path = self._failure_path(cell)
        return msgspec.json.decode(path.read_bytes(), type=Failure) if path.exists() else None

    def forget(self, cell: Cell[Any]) -> None:
        """Drop a result, its folder and its checkpoints, so that the cell is computed from the beginning."""
        self.result_path(cell).unlink(missing_ok=True)
        shutil.rmtree(self.folder(cell), ignore_errors=True)
        shutil.rmtree(self.workspace(cell), ignore_errors=True)

    def set_aside(self, cell: Cell[Any]) -> None:
        """Rename a damaged result, so that the next run computes it; what it held stays for who wants to look."""
        path = self.result_path(cell)
        with suppress(FileNotFoundError):  # another run was quicker
            path.replace(path.with_suffix(DAMAGED))

    def result_path(self, cell: Cell[Any]) -> Path:
        return self._path_of_key(self._stored_key(cell))

    def folder(self, cell: Cell[Any]) -> Path:
        """The finished cell's folder of large outputs, as it is; ``sound_folder`` checks it."""
        return self.root / "folders" / self._stored_key(cell)

    def sound_folder(self, cell: Cell[Any]) -> Path:
        """The finished cell's folder. A damaged file in it is an error, and the next run computes the cell again."""
        try:
            self.check(cell)
        except DamagedError:
            if self.writable:
                self.set_aside(cell)
            raise
        return self.folder(cell)

    def workspace(self, cell: Cell[Any]) -> Path:
        """The running cell's folder; see ``Bench.workspace``."""
        return self.root / "work" / key_of(cell)

    def lock_path(self, cell: Cell[Any]) -> Path:
        return make_folder(self.root / "locks") / f"{key_of(cell)}.lock"

    def keep_workspace(self, cell: Cell[Any]) -> dict[str, FileMark]:
        """Turn the workspace, if the cell made one, into the finished cell's folder; marks of what is in it."""
        workspace, folder = self.workspace(cell), self.root / "folders" / key_of(cell)
        shutil.rmtree(folder, ignore_errors=True)
        if not workspace.exists():
            return {}
        make_folder(folder.parent)
        workspace.replace(folder)
        return mark_files(folder)

    def require_writable(self) -> None:
        """Raise unless results can be kept here."""
        if not self.writable:
            raise IsoglossError(
                "the store is read-only, and some results are missing",
                where=self.root,
                remedy="fix its permissions, or point ISOGLOSS_HOME at another folder",
            )

    def _envelope(self, cell: Cell[Any]) -> Envelope | None:
        path = self.result_path(cell)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        return read_envelope(content, path)

    def _stored_key(self, cell: Cell[Any]) -> str:
        """The key under which the result lies: older releases named a model by its path as well as by its content."""
        key = key_of(cell)
        if not self._path_of_key(key).exists():
            older = key_by_path(cell)
            if older != key and self._path_of_key(older).exists():
                return older
        return key

    def _path_of_key(self, key: str) -> Path:
        return self.root / "results" / key[:2] / f"{key}.json"

    def _failure_path(self, cell: Cell[Any]) -> Path:
        return self._path_of_key(key_of(cell)).with_suffix(".error.json")

    def _check_format(self) -> bool:
        """Whether the store can be written; it must be of a format that is known here."""
        mark = make_folder(self.root) / "store.json"
        writable = os.access(self.root, os.W_OK)
        try:
            content = msgspec.json.decode(mark.read_bytes(), type=dict[str, Any])
        except FileNotFoundError:
            content = {}
        except (msgspec.DecodeError, UnicodeDecodeError):  # every result has its format too: nothing is lost
            content = {}
        found, writer = content.get("format"), content.get("isogloss")
        if isinstance(found, int) and found > FORMAT and writer != __version__:
            raise newer(mark, found)
        if writable and not isinstance(found, int):
            write_whole(mark, msgspec.json.encode({"format": FORMAT, "isogloss": __version__}))
        return writable
