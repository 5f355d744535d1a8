"""Matrices on disk as safetensors: written row by row without knowing their number, read by memory mapping."""

import json
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from isogloss.digests import SEALED
from isogloss.errors import IsoglossError

HEADER = 256  # bytes before the data: an 8-byte length and JSON, filled up with spaces as the format allows
NAME = "states"


class MatrixWriter:
    """Appends rows of float32 to an open file; ``close_header`` makes it a safetensors file of one matrix.

    Whoever closes the file seals it (``seal_file``).
    """

    def __init__(self, file: BinaryIO, width: int) -> None:
        self._file, self._width, self._rows = file, width, 0
        file.write(b" " * HEADER)

    def append(self, rows: NDArray[np.float32]) -> None:
        """Add ``rows`` (n x d)."""
        self._file.write(np.ascontiguousarray(rows, dtype="<f4").tobytes())
        self._rows += len(rows)

    def close_header(self) -> None:
        """Write the header, now that the number of rows is known."""
        shape = [self._rows, self._width]
        described = {
            "__metadata__": SEALED,
            NAME: {"dtype": "F32", "shape": shape, "data_offsets": [0, 4 * self._rows * self._width]},
        }
        header = json.dumps(described, separators=(",", ":")).encode().ljust(HEADER - 8)
        self._file.seek(0)
        self._file.write((HEADER - 8).to_bytes(8, "little") + header)


def map_matrix(path: Path) -> NDArray[np.float32]:
    """The matrix in ``path`` (n x d), read-only and memory-mapped: only what is looked at is read."""
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            described = json.loads(file.read(length) if length < path.stat().st_size else b"")[NAME]
        rows, width = described["shape"]
        whole = path.stat().st_size == 8 + length + 4 * rows * width
    except (OSError, ValueError, KeyError, TypeError):
        whole = False
    if not whole:
        raise IsoglossError("this file of hidden states is damaged", where=path, remedy="isogloss data cache clean")
    if rows == 0:
        return np.zeros((0, width), dtype=np.float32)
    return np.memmap(path, dtype="<f4", mode="r", offset=8 + length, shape=(rows, width))
