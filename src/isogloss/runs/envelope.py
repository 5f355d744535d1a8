"""A result file: the record, what it is the result of, and digests of everything that it stands for."""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from isogloss import __version__
from isogloss.digests import DamagedError, digest_bytes, digest_file
from isogloss.errors import IsoglossError

FORMAT = 2  # 1: no digests of the files in a cell's folder, no seal
SEAL = b',"seal":"'
AGAIN = "run the same command again: only what is damaged is computed again"


class FileMark(msgspec.Struct, frozen=True, array_like=True):
    """Size and digest of a file in a cell's folder."""

    size: int
    digest: str


class Envelope(msgspec.Struct):
    """A result file. ``checksum`` is over the record's bytes; a seal over all other bytes ends the file.

    ``files`` is None in files of format 1, which know nothing of the cell's folder.
    """

    format: int
    key: str
    described: dict[str, Any]
    seconds: float
    created: str
    isogloss: str
    checksum: str
    record: msgspec.Raw
    files: dict[str, FileMark] | None = None
    threads: int = 0
    study: str = ""  # whose run computed it


@dataclass(frozen=True)
class Work:
    """How a cell was computed: how long it took, with how many threads, for which study, and the files it left."""

    seconds: float = 0.0
    threads: int = 0
    study: str = ""
    files: dict[str, FileMark] = field(default_factory=dict)


def make_envelope(key: str, described: dict[str, Any], body: bytes, work: Work) -> bytes:
    """The bytes of a result file; ``body`` is the encoded record."""
    envelope = Envelope(
        format=FORMAT,
        key=key,
        described=described,
        seconds=round(work.seconds, 3),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        isogloss=__version__,
        checksum=hashlib.sha256(body).hexdigest(),
        record=msgspec.Raw(body),
        files=work.files,
        threads=work.threads,
        study=work.study,
    )
    content = msgspec.json.encode(envelope)[:-1]
    return content + SEAL + digest_bytes(content).encode() + b'"}'


def read_envelope(content: bytes, path: Path) -> Envelope:
    """Decode and check a result file. Its name must be the key that it holds: no result stands for another."""
    try:
        envelope = msgspec.json.decode(content, type=Envelope)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise damaged_result(path, str(error)) from error
    if envelope.format > FORMAT and envelope.isogloss != __version__:  # which writes nothing newer
        raise newer(path, envelope.format)
    if hashlib.sha256(bytes(envelope.record)).hexdigest() != envelope.checksum:
        raise damaged_result(path, "its checksum does not match its content")
    if envelope.format != 1 and not _is_sealed(content):
        raise damaged_result(path, "its seal does not match its content")
    if envelope.key != path.name.partition(".")[0]:
        raise damaged_result(path, f"it is the result of another cell, {envelope.key}")
    return envelope


def _is_sealed(content: bytes) -> bool:
    body, mark, tail = content.rpartition(SEAL)
    return bool(mark) and tail == digest_bytes(body).encode() + b'"}'


def mark_files(folder: Path) -> dict[str, FileMark]:
    """Size and digest of every file below ``folder``."""
    return {
        path.relative_to(folder).as_posix(): FileMark(path.stat().st_size, digest_file(path))
        for path in sorted(files_below(folder))
    }


def check_files(folder: Path, marks: dict[str, FileMark], at_most: int | None = None) -> None:
    """Raise unless ``folder`` holds what ``marks`` say. Sizes are always compared; digests of files of ``at_most``
    bytes (None: of all), each once per process."""
    for name, mark in marks.items():
        path = folder / name
        if not path.is_file():
            raise DamagedError("a file of this result is missing", where=path, remedy=AGAIN)
        size = path.stat().st_size
        if size != mark.size:
            raise DamagedError(f"this file has {size:,} bytes; {mark.size:,} were written", where=path, remedy=AGAIN)
        if (at_most is None or size <= at_most) and digest_file(path) != mark.digest:
            raise DamagedError("this file is not as it was written: its digest differs", where=path, remedy=AGAIN)
    for path in files_below(folder):
        if path.relative_to(folder).as_posix() not in marks:
            raise DamagedError("this file was added to a finished result", where=path, remedy=AGAIN)


def files_below(folder: Path) -> Iterator[Path]:
    """Every file below ``folder`` but hidden ones, which file systems and editors leave."""
    for root, _, names in os.walk(folder):
        yield from (Path(root) / name for name in names if not name.startswith("."))


def damaged_result(path: Path, why: str) -> DamagedError:
    return DamagedError(f"this result file is damaged ({why})", where=path, remedy=AGAIN)


def newer(path: Path, found: object) -> IsoglossError:
    return IsoglossError(
        f"this store was written by a newer Isogloss (format {found}; this one reads up to {FORMAT})",
        where=path,
        remedy="pip install --upgrade isogloss, or point ISOGLOSS_HOME at another folder",
    )
