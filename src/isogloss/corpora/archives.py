"""Unpacking archives that a stranger made: nothing lands outside the folder, no links, no surprises."""

import shutil
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from isogloss.errors import IsoglossError
from isogloss.files import whole_file

Choose = Callable[[str], str | None]
MOST = 50 * 2**30  # bytes in all: no set we know is larger, and a bomb is


def extract(archive: Path, folder: Path, choose: Choose = lambda name: name) -> list[Path]:
    """Unpack the members that ``choose`` gives a place to, below ``folder``; each file whole or not at all."""
    written, size = [], 0
    for name, member in _members(archive):
        place = choose(name)
        if place is None:
            continue
        target = safe_path(folder, place, archive)
        with whole_file(target) as part, part.open("wb") as out:
            shutil.copyfileobj(member, out, 1 << 20)
            size += out.tell()
        if size > MOST:
            raise IsoglossError(f"unpacks to more than {MOST >> 30} GB", where=archive)
        written.append(target)
    if not written:
        raise IsoglossError("nothing in this archive is what was looked for", where=archive)
    return written


def safe_path(folder: Path, name: str, archive: Path) -> Path:
    """``folder / name``, refused where that would leave the folder."""
    pure = PurePosixPath(name.replace("\\", "/"))
    root = folder.resolve()
    target = (root / pure).resolve()
    # A resolved path also follows links that already lie in the folder.
    if pure.is_absolute() or ".." in pure.parts or ":" in name or not target.is_relative_to(root) or target == root:
        raise IsoglossError(f"member '{name}' would be written outside the folder", where=archive)
    return target


def _members(archive: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Plain files of a zip or tar archive by name; folders, links and devices are passed over."""
    try:
        if zipfile.is_zipfile(archive):
            yield from _zip_members(archive)
        elif tarfile.is_tarfile(archive):
            yield from _tar_members(archive)
        else:
            raise IsoglossError("neither a zip nor a tar archive", where=archive, remedy="fetch it again")
    except (zipfile.BadZipFile, tarfile.TarError, EOFError) as error:
        raise IsoglossError(f"broken archive ({error})", where=archive, remedy="fetch it again") from error


def _zip_members(archive: Path) -> Iterator[tuple[str, IO[bytes]]]:
    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            link = (info.external_attr >> 16) & 0o170000 == 0o120000
            if not info.is_dir() and not link:
                with opened.open(info) as member:
                    yield info.filename, member


def _tar_members(archive: Path) -> Iterator[tuple[str, IO[bytes]]]:
    with tarfile.open(archive) as opened:
        for info in opened:
            if info.isfile() and (member := opened.extractfile(info)):
                with member:
                    yield info.name, member
