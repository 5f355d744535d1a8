"""Unpacking archives that a stranger made: nothing lands outside the folder, no links, no bombs, nothing damaged."""

import bz2
import errno
import gzip
import lzma
import shutil
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any

from isogloss.corpora.contents import contents_digest
from isogloss.errors import IsoglossError
from isogloss.files import make_folder

Choose = Callable[[str], str | None]
MOST = 50 * 2**30  # bytes in all: no set we know is larger, and a bomb is
MOST_MEMBERS = 200_000
LARGEST_RATIO = 100  # of what comes out to what went in: text packs to a third or a tenth, a bomb to a thousandth
SMALL = 64 * 2**20  # bytes up to which no ratio matters
CHUNK = 1 << 20
ENCRYPTED = 0x1  # the bit of a zip member's flags
BROKEN = (
    zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, struct.error, RuntimeError,
    NotImplementedError, ValueError, OverflowError, IndexError,
)  # fmt: skip
OPENERS: dict[bytes, Callable[[Path], Any]] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\0": lzma.open}


def extract(archive: Path, folder: Path, choose: Choose = lambda name: name, contents: str | None = None) -> list[Path]:
    """Unpack the members that ``choose`` gives a place to, below ``folder``: all of them, or none.

    They are unpacked beside the folder and moved in once the whole archive has been read and is undamaged, and holds
    what it should (``contents``, a digest of ``contents_digest``).
    """
    make_folder(folder.parent)
    staging = folder.with_name(f".{folder.name}.unpacking")
    shutil.rmtree(staging, ignore_errors=True)
    try:
        with _explained(archive):
            placed = _unpack(archive, folder, staging, choose)
        if contents is not None:
            _check_contents(archive, {path.relative_to(staging).as_posix(): path for path in placed.values()}, contents)
        for target, staged in placed.items():
            make_folder(target.parent)
            staged.replace(target)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return list(placed)


def _unpack(archive: Path, folder: Path, staging: Path, choose: Choose) -> dict[Path, Path]:
    """Write the chosen members into ``staging``; where each belongs, and where it lies now."""
    room = min(MOST, max(SMALL, LARGEST_RATIO * archive.stat().st_size))
    placed: dict[Path, Path] = {}
    for name, size, member in _members(archive):
        place = choose(name)
        if place is None:
            continue
        if size > room:
            raise _too_large(archive)
        target = safe_path(folder, place, archive)
        staged = staging / target.relative_to(folder.resolve())
        make_folder(staged.parent)
        room -= _copy(member, staged, room, archive)
        placed[target] = staged
        if len(placed) > MOST_MEMBERS:
            raise IsoglossError(
                f"more than {MOST_MEMBERS:,} files",
                where=archive,
                remedy="this is not one of the known data sets; inspect it by hand",
            )
    if not placed:
        raise IsoglossError(
            "this archive does not contain the expected files",
            where=archive,
            remedy="fetch it again; if it is the same, its origin has changed",
        )
    return placed


def _check_contents(archive: Path, staged: dict[str, Path], contents: str) -> None:
    found = contents_digest(staged)
    if found != contents:
        raise IsoglossError(
            f"its files are not those that were published (digest {found}, not {contents})",
            where=archive,
            remedy="do not trust this archive: tell the maintainers of its origin and of Isogloss",
        )


def _copy(member: IO[bytes], path: Path, room: int, archive: Path) -> int:
    """Write a member as far as there is room; more is an error, whatever the archive said its size was."""
    size = 0
    with path.open("wb") as out:
        while chunk := member.read(CHUNK):
            size += len(chunk)
            if size > room:
                raise _too_large(archive)
            out.write(chunk)
    return size


def _too_large(archive: Path) -> IsoglossError:
    return IsoglossError(
        f"unpacks to more than {MOST >> 30} GB, or to more than {LARGEST_RATIO} times its size",
        where=archive,
        remedy="this is not one of the known data sets; inspect it by hand",
    )


def safe_path(folder: Path, name: str, archive: Path) -> Path:
    """``folder / name``, refused where that would leave the folder."""
    pure = PurePosixPath(name.replace("\\", "/"))
    root = folder.resolve()
    target = (root / pure).resolve()
    # A resolved path also follows links that already lie in the folder.
    if pure.is_absolute() or ".." in pure.parts or ":" in name or not target.is_relative_to(root) or target == root:
        raise IsoglossError(
            f"member '{name[:100]}' would be written outside the folder",
            where=archive,
            remedy="do not trust this archive; inspect it by hand",
        )
    return target


@contextmanager
def _explained(archive: Path) -> Iterator[None]:
    """Turn what the standard library raises on a damaged, cut or encrypted archive into a message."""
    try:
        yield
    except BROKEN as error:
        raise IsoglossError(f"broken archive ({error})", where=archive, remedy="fetch it again") from error
    except OSError as error:
        if error.errno not in (None, errno.EINVAL):  # the disk's trouble; EINVAL is a place before the file's start
            raise
        raise IsoglossError(f"broken archive ({error})", where=archive, remedy="fetch it again") from error


def _members(archive: Path) -> Iterator[tuple[str, int, IO[bytes]]]:
    """Name, declared size and content of the plain files; folders, links and devices are passed over."""
    if zipfile.is_zipfile(archive):
        yield from _zip_members(archive)
        return
    with archive.open("rb") as handle:
        magic = handle.read(6)
    opener = next((opener for start, opener in OPENERS.items() if magic.startswith(start)), None)
    if opener is not None:
        yield from _packed_tar_members(opener(archive))
    elif tarfile.is_tarfile(archive):
        yield from _tar_members(archive)
    else:
        raise IsoglossError("neither a zip nor a tar archive", where=archive, remedy="fetch it again")


def _zip_members(archive: Path) -> Iterator[tuple[str, int, IO[bytes]]]:
    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            if not info.filename:
                raise zipfile.BadZipFile("a member without a name")
            if info.flag_bits & ENCRYPTED:
                raise IsoglossError("this archive is encrypted", where=archive, remedy="unpack it by hand")
            link = (info.external_attr >> 16) & 0o170000 == 0o120000
            if not info.is_dir() and not link:
                with opened.open(info) as member:
                    yield info.filename, info.file_size, member


def _packed_tar_members(stream: IO[bytes]) -> Iterator[tuple[str, int, IO[bytes]]]:
    """Members of a compressed tar; its end is read too, for only there the checksum of the whole stands."""
    with stream, tarfile.open(fileobj=stream, mode="r|") as opened:
        for info in opened:
            if info.isfile() and (member := opened.extractfile(info)):
                with member:
                    yield info.name, info.size, member
        left = SMALL
        while left > 0 and (chunk := stream.read(CHUNK)):
            left -= len(chunk)


def _tar_members(archive: Path) -> Iterator[tuple[str, int, IO[bytes]]]:
    with tarfile.open(archive, "r:") as opened:
        for info in opened:
            if info.isfile() and (member := opened.extractfile(info)):
                with member:
                    yield info.name, info.size, member
        end = opened.offset
    with archive.open("rb") as handle:
        handle.seek(end)
        if any(handle.read(tarfile.BLOCKSIZE)):  # tarfile takes a damaged header for the end
            raise tarfile.ReadError("a damaged header")
