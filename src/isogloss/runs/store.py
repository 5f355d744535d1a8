"""The store of results: one small file a cell, written whole or not at all, checked when read."""

import hashlib
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from isogloss import __version__
from isogloss.errors import IsoglossError
from isogloss.files import make_folder, write_whole
from isogloss.runs.cells import Cell, describe, key_of

FORMAT = 1
Record = TypeVar("Record")


class Envelope(msgspec.Struct):
    """A result file: the record, what it is the result of, and a checksum over the record's bytes."""

    format: int
    key: str
    described: dict[str, Any]
    seconds: float
    created: str
    isogloss: str
    checksum: str
    record: msgspec.Raw


class Failure(msgspec.Struct, frozen=True):
    """What a failed cell leaves: the message, and the traceback unless it was a user's mistake."""

    label: str
    message: str
    traceback: str = ""
    users_mistake: bool = False


class Store:
    """Results under one folder, shared by all studies that are given the same folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._check_format()

    def get(self, cell: Cell[Record]) -> Record | None:
        """The cell's record, or None if it was not computed yet; a damaged file is an error that names it."""
        path = self.result_path(cell)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        envelope = _read_envelope(content, path)
        try:
            record: Record = msgspec.json.decode(envelope.record, type=cell.record)
        except msgspec.ValidationError as error:
            raise IsoglossError(
                f"this result does not have the form that cell '{cell.name}' writes now ({error})",
                where=path,
                remedy="delete this file; whoever changed the form should also bump the cell's version",
            ) from error
        return record

    def has(self, cell: Cell[Any]) -> bool:
        """Whether a result is there (not whether it is sound: ``get`` says that)."""
        return self.result_path(cell).exists()

    def seconds(self, cell: Cell[Any]) -> float:
        """How long the cell took when it was computed."""
        path = self.result_path(cell)
        return _read_envelope(path.read_bytes(), path).seconds

    def put(self, cell: Cell[Record], record: Record, seconds: float) -> None:
        """Keep a result; an error left by an earlier try goes away."""
        body = msgspec.json.encode(record)
        envelope = Envelope(
            format=FORMAT,
            key=key_of(cell),
            described=describe(cell),
            seconds=round(seconds, 3),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            isogloss=__version__,
            checksum=hashlib.sha256(body).hexdigest(),
            record=msgspec.Raw(body),
        )
        write_whole(self.result_path(cell), msgspec.json.encode(envelope))
        self._failure_path(cell).unlink(missing_ok=True)

    def put_failure(self, cell: Cell[Any], failure: Failure) -> None:
        write_whole(self._failure_path(cell), msgspec.json.encode(failure))

    def failure(self, cell: Cell[Any]) -> Failure | None:
        """The error of the cell's last try, if it failed."""
        path = self._failure_path(cell)
        return msgspec.json.decode(path.read_bytes(), type=Failure) if path.exists() else None

    def forget(self, cell: Cell[Any]) -> None:
        """Drop a result and its folder, so that the cell is computed anew."""
        self.result_path(cell).unlink(missing_ok=True)
        shutil.rmtree(self.folder(cell), ignore_errors=True)

    def result_path(self, cell: Cell[Any]) -> Path:
        key = key_of(cell)
        return self.root / "results" / key[:2] / f"{key}.json"

    def folder(self, cell: Cell[Any]) -> Path:
        """The finished cell's folder of large outputs."""
        return self.root / "folders" / key_of(cell)

    def workspace(self, cell: Cell[Any]) -> Path:
        """The running cell's folder; see ``Bench.workspace``."""
        return self.root / "work" / key_of(cell)

    def lock_path(self, cell: Cell[Any]) -> Path:
        return make_folder(self.root / "locks") / f"{key_of(cell)}.lock"

    def keep_workspace(self, cell: Cell[Any]) -> None:
        """Turn the workspace, if the cell made one, into the finished cell's folder."""
        workspace, folder = self.workspace(cell), self.folder(cell)
        if workspace.exists():
            shutil.rmtree(folder, ignore_errors=True)
            make_folder(folder.parent)
            workspace.replace(folder)

    def _failure_path(self, cell: Cell[Any]) -> Path:
        return self.result_path(cell).with_suffix(".error.json")

    def _check_format(self) -> None:
        mark = make_folder(self.root) / "store.json"
        if not os.access(self.root, os.W_OK):
            raise IsoglossError(
                "the store cannot be written",
                where=self.root,
                remedy="mend its permissions, or point ISOGLOSS_HOME at another folder",
            )
        if not mark.exists():
            write_whole(mark, msgspec.json.encode({"format": FORMAT, "isogloss": __version__}))
            return
        try:
            found = msgspec.json.decode(mark.read_bytes(), type=dict[str, Any]).get("format")
        except msgspec.DecodeError as error:
            raise _damaged(mark, str(error)) from error
        if not isinstance(found, int) or found > FORMAT:
            raise _newer(mark, found)


def _read_envelope(content: bytes, path: Path) -> Envelope:
    try:
        envelope = msgspec.json.decode(content, type=Envelope)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _damaged(path, str(error)) from error
    if envelope.format > FORMAT:
        raise _newer(path, envelope.format)
    if hashlib.sha256(bytes(envelope.record)).hexdigest() != envelope.checksum:
        raise _damaged(path, "its checksum does not match its content")
    return envelope


def _damaged(path: Path, why: str) -> IsoglossError:
    return IsoglossError(
        f"this result file is damaged ({why})",
        where=path,
        remedy="delete it and run again: only this cell is computed anew",
    )


def _newer(path: Path, found: object) -> IsoglossError:
    return IsoglossError(
        f"this store was written by a newer Isogloss (format {found}; this one reads up to {FORMAT})",
        where=path,
        remedy="pip install --upgrade isogloss, or point ISOGLOSS_HOME at another folder",
    )
