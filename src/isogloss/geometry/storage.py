"""Moments on disk: named arrays and a short JSON header in one safetensors file, written whole or not at all."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from isogloss.errors import IsoglossError
from isogloss.files import write_whole

HEADER = "isogloss"


def write_arrays(path: str | Path, arrays: Mapping[str, NDArray[Any]], header: Mapping[str, Any]) -> None:
    """Write ``arrays`` and ``header`` (plain JSON values; ``kind`` says what the file is) to ``path``."""
    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    write_whole(Path(path), save(contiguous, metadata={HEADER: json.dumps(dict(header))}))


def read_arrays(path: str | Path, kind: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The arrays and the header of a file of this ``kind``; refuses other, broken and missing files."""
    try:
        with safe_open(str(path), framework="numpy") as file:
            header = json.loads((file.metadata() or {}).get(HEADER, "{}"))
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a dict
    except FileNotFoundError as error:
        raise IsoglossError("no such file", where=path) from error
    except SafetensorError as error:
        raise IsoglossError(f"not a whole safetensors file ({error})", where=path) from error
    if header.get("kind") != kind:
        raise IsoglossError(f"this file holds '{header.get('kind', 'something else')}', not '{kind}'", where=path)
    return arrays, header
