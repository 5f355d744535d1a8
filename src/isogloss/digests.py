"""Digests: what a file holds, read once per process, and whether it is still what a result was planned with."""

import hashlib
import json
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

from isogloss.errors import IsoglossError

LENGTH = 32  # hexadecimal digits of a digest: 128 bits
SEALED = {"digest": "0" * LENGTH}  # metadata of a safetensors file that ``seal_file`` will seal
_MARK = b'"digest":"'
_BLOCK = 1 << 20
_TICK = 10**9  # nanoseconds: file systems count time in steps of up to a second or two
RUN_AGAIN = "let nothing write to it during a run, then run the same command again: it is read as it is then"

Version = tuple[int, int, int, int]  # size, times of the last change of content and of entry, inode


class DamagedError(IsoglossError):
    """A file that is not as it was written: truncated, altered, or another's. Its result is computed again."""


class ChangedError(IsoglossError):
    """An input that is not what the run was planned with. No result may be stored for it."""


def digest_bytes(content: bytes) -> str:
    """The digest of bytes in memory."""
    return hashlib.sha256(content).hexdigest()[:LENGTH]


def digest_file(path: Path) -> str:
    """The digest of a file; large weights are read once per process, at the speed of the disk."""
    return whole_digest(path)[:LENGTH]


def whole_digest(path: Path) -> str:
    """The SHA-256 of a file in full."""
    version = version_of(path)
    return (_digest_now if is_fresh(version) else _digest_version)(str(path), version)


def version_of(path: Path) -> Version:
    """What tells one content of a file from the next without reading it."""
    found = path.stat()
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def is_fresh(version: Version) -> bool:
    """Whether a file was written so recently that the next change could bear the same time; such are not remembered."""
    return time.time_ns() - version[1] < _TICK


def _digest_now(path: str, version: Version) -> str:
    with open(path, "rb") as content:  # noqa: PTH123  (a string is a cheaper key than a Path)
        return hashlib.file_digest(content, "sha256").hexdigest()


_digest_version = lru_cache(maxsize=65536)(_digest_now)


@contextmanager
def steady(paths: Iterable[Path]) -> Iterator[None]:
    """Refuse what was read from ``paths`` inside this block if any of them was written to meanwhile.

    A file that is swapped and swapped back has the right content before and after, but not in between.
    """
    before = {path: version_of(path) for path in paths}
    yield
    for path, version in before.items():
        if not path.exists() or version_of(path) != version:
            raise ChangedError("this file changed while it was read", where=path, remedy=RUN_AGAIN)


def require_revision(found: str, planned: str, where: str | Path) -> None:
    """Refuse an input whose content is not what the run was planned with; no ``planned`` revision accepts anything."""
    if planned and found != planned:
        raise ChangedError(
            f"this changed after the run was planned (revision {planned} then, {found} now)",
            where=where,
            remedy=RUN_AGAIN,
        )


def sealed_json(content: dict[str, Any]) -> str:
    """Plain values as JSON text, with their digest."""
    return json.dumps({"content": content, "digest": _digest_values(content)}, indent=1)


def read_sealed_json(path: Path) -> dict[str, Any] | None:
    """What ``sealed_json`` wrote; None where there is no such file or it is damaged."""
    try:
        found = json.loads(path.read_bytes())
        content: dict[str, Any] = found["content"]
        return content if found["digest"] == _digest_values(content) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _digest_values(content: dict[str, Any]) -> str:
    return digest_bytes(json.dumps(content, sort_keys=True).encode())


def seal_file(path: Path) -> None:
    """Write into a safetensors file, saved with metadata ``SEALED``, the digest of all its bytes with none in place."""
    with path.open("rb+") as file:
        place = _place_of_digest(file)
        if place is None:
            raise ValueError(f"{path} was saved without a place for its digest")
        digest = _digest_around(file, place)
        file.seek(place)
        file.write(digest.encode())


def is_sealed(path: Path) -> bool:
    """Whether a safetensors file is there and as it was sealed; read once per process."""
    if not path.is_file():
        return False
    version = version_of(path)
    return (_is_sealed_now if is_fresh(version) else _is_sealed_version)(str(path), version)


def _is_sealed_now(path: str, version: Version) -> bool:
    with Path(path).open("rb") as file:
        place = _place_of_digest(file)
        if place is None:
            return False
        file.seek(place)
        return file.read(LENGTH).decode("latin-1") == _digest_around(file, place)


_is_sealed_version = lru_cache(maxsize=65536)(_is_sealed_now)


def _place_of_digest(file: BinaryIO) -> int | None:
    """Where the digest stands in the header; None where there is no such file or header."""
    file.seek(0)
    length = int.from_bytes(file.read(8), "little")
    found = file.read(min(length, _BLOCK)).find(_MARK)
    return None if found < 0 else 8 + found + len(_MARK)


def _digest_around(file: BinaryIO, place: int) -> str:
    """The digest of a file with zeros for the digest at ``place``."""
    file.seek(0)
    whole = hashlib.sha256(file.read(place))
    whole.update(b"0" * len(file.read(LENGTH)))
    while block := file.read(_BLOCK):
        whole.update(block)
    return whole.hexdigest()[:LENGTH]
