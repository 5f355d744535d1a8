"""Reading text files as they come: UTF-8 checked, compressed or not, with ``file:line`` in every complaint."""

import bz2
import gzip
import hashlib
import lzma
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from isogloss.digests import whole_digest
from isogloss.errors import IsoglossError, missing_extra

BOM = "\ufeff"
BLOCK = 1 << 22  # bytes read at a time
COMPRESSED = {".gz", ".bz2", ".xz", ".zst"}


def open_bytes(path: Path) -> IO[bytes]:
    """Open ``path`` for reading, unpacking gzip, bzip2, xz and zstd by the file's ending."""
    if not path.is_file():
        raise IsoglossError("no such file", where=path, remedy="check the name")
    if path.suffix == ".zst":
        return _open_zstd(path)
    if path.suffix == ".gz":
        return cast("IO[bytes]", gzip.open(path, "rb"))
    if path.suffix == ".bz2":
        return bz2.open(path, "rb")
    if path.suffix == ".xz":
        return lzma.open(path, "rb")
    return path.open("rb")


def _open_zstd(path: Path) -> IO[bytes]:
    try:
        import zstandard
    except ImportError:
        raise missing_extra("zstd", "zstandard") from None
    return cast("IO[bytes]", zstandard.open(path, "rb"))


def read_blocks(path: Path, end: bytes = b"\n") -> Iterator[tuple[int, str]]:
    """Text in blocks that stop after ``end``, each with the number of its first line; memory stays small.

    Line ends become ``\\n`` and a byte order mark is dropped; an empty file, or one of blank lines, is an error.
    """
    line, rest, empty = 1, b"", True
    with open_bytes(path) as handle:
        for chunk in _chunks(handle, path):
            empty = empty and chunk.isspace()
            data = rest + chunk.replace(b"\r\n", b"\n")
            cut = data.rfind(end) + len(end) if end in data else 0
            rest = data[cut:]
            if cut:
                yield line, decode_text(data[:cut], path, line)
                line += data.count(b"\n", 0, cut)
    if empty:
        raise IsoglossError("the file is empty", where=path, remedy="it has no text at all, or only blank lines")
    if rest:
        yield line, decode_text(rest, path, line)


def _chunks(handle: IO[bytes], path: Path) -> Iterator[bytes]:
    """Raw blocks that never end between ``\\r`` and ``\\n``."""
    held = b""
    with sound_archive(path):
        while chunk := handle.read(BLOCK):
            chunk = held + chunk
            held = b"\r" if chunk.endswith(b"\r") else b""
            yield chunk[: len(chunk) - len(held)]
    if held:
        yield held


@contextmanager
def sound_archive(path: Path) -> Iterator[None]:
    """Whatever unpacking a damaged file raises becomes an error that names it."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error, ValueError) as error:
        raise _broken(path, error) from error
    except OSError as error:
        if path.suffix not in COMPRESSED or error.errno is not None:
            raise
        raise _broken(path, error) from error


def _broken(path: Path, error: Exception) -> IsoglossError:
    return IsoglossError(f"broken archive ({error})", where=path, remedy="fetch the file again")


def decode_text(data: bytes, path: Path, line: int) -> str:
    """Bytes from line ``line`` on as text; what is not UTF-8, or not text, is an error with its place."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        bad = line + data.count(b"\n", 0, error.start)
        raise IsoglossError(
            f"not valid UTF-8 (byte 0x{data[error.start]:02x})",
            where=f"{path}:{bad}",
            remedy="convert the file, for example with: iconv -f latin1 -t utf8",
        ) from None
    if "\0" in text:
        bad = line + text.count("\n", 0, text.index("\0"))
        raise IsoglossError(
            "a NUL character: this is not text, or it is damaged",
            where=f"{path}:{bad}",
            remedy="save it as UTF-8 text, or fetch it again",
        )
    return text.removeprefix(BOM) if line == 1 else text


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines without their ends, counted from 1. Only ``\\n`` and ``\\r\\n`` end a line: U+2028 and its like do not."""
    for first, block in read_blocks(path):
        yield from enumerate(block.removesuffix("\n").split("\n"), first)


def count_lines(path: Path) -> int:
    """The number of lines, without decoding them."""
    total, last = 0, b"\n"
    with open_bytes(path) as handle:
        for chunk in _chunks(handle, path):
            total, last = total + chunk.count(b"\n"), chunk[-1:]
    return total + (last != b"\n")


def content_hash(paths: Iterable[Path], names: Iterable[str] = ()) -> str:
    """A short name for what these files hold (and what they are taken for): the revision that results store."""
    whole = hashlib.sha256("\0".join(names).encode())
    for path in paths:
        whole.update(bytes.fromhex(whole_digest(path)))
    return whole.hexdigest()[:16]
