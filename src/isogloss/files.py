"""Files that are written whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.errors import IsoglossError

if TYPE_CHECKING:
    import pandas as pd


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path``; on a clean exit it is flushed to disk and becomes ``path``.

    A crash, an exception or a full disk leaves whatever stood at ``path`` before.
    """
    if path.is_dir():
        raise IsoglossError("this is a folder, and a file is to be written here", where=path, remedy="name a file")
    make_folder(path.parent)
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:80]}.", suffix=".part", dir=path.parent)
    os.close(handle)
    part = Path(name)
    try:
        yield part
        with part.open("rb+") as written:
            os.fsync(written.fileno())
        part.chmod(0o666 & ~_umask())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_whole(path: Path, content: bytes | str) -> None:
    """Write ``content`` to ``path`` whole or not at all; text is UTF-8 with ``\\n`` line ends everywhere."""
    with whole_file(path) as part:
        part.write_bytes(content.encode() if isinstance(content, str) else content)


def write_frame(path: Path, frame: "pd.DataFrame") -> None:
    """Write ``frame`` to ``path`` as Parquet, whole or not at all."""
    with whole_file(path) as part:
        frame.to_parquet(part, index=False)


def make_folder(folder: Path) -> Path:
    """Create ``folder`` and its parents; say so plainly when that cannot be done."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise IsoglossError(
            f"cannot create this folder ({error.strerror})",
            where=folder,
            remedy="name another one with --out, or fix its permissions",
        ) from error
    return folder


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
