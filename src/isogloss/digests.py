"""Digests: what a file holds, read once per process, and whether it is still what a result was planned with."""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from isogloss.errors import IsoglossError

LENGTH = 32  # hexadecimal digits of a digest: 128 bits
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
    return _digest_version(str(path), version_of(path))


def version_of(path: Path) -> Version:
    """What tells one content of a file from the next without reading it."""
    found = path.stat()
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


@lru_cache(maxsize=65536)
def _digest_version(path: str, version: Version) -> str:
    with open(path, "rb") as content:  # noqa: PTH123  (a string is a cheaper key than a Path)
        return hashlib.file_digest(content, "sha256").hexdigest()


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
