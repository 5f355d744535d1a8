"""Hidden states on disk, named by content: computed once, shared by all studies, listed and cleaned by the user.

An entry is a folder: ``about.json`` says what it is, ``rows.safetensors`` which row is which, and each layer is a
safetensors file of its own, there whole or not at all. Each has a digest inside, checked once per process when it is
read; what is damaged, or was written before there were digests, is computed again.
"""

import json
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.numpy import save_file

from isogloss import places
from isogloss.digests import SEALED, is_sealed, seal_file
from isogloss.encoders.blocks import Block, Counts
from isogloss.encoders.matrix_files import MatrixWriter, map_matrix
from isogloss.errors import IsoglossError
from isogloss.files import make_folder, whole_file, write_whole
from isogloss.progress import say, track

DAY = 24 * 3600
ROWS, COUNTS = "rows.safetensors", "counts"


@dataclass(frozen=True)
class About:
    """What an entry holds, for people."""

    model: str
    revision: str | None
    level: str
    pooling: str
    dtype: str


@dataclass(frozen=True, eq=False)
class CachedStates:
    """States of a body of text, layer by layer, memory-mapped."""

    numbers: tuple[int, ...]  # of the layers
    layers: tuple[NDArray[np.float32], ...]  # n x d each, as ``numbers``
    sentence: NDArray[np.int64]
    position: NDArray[np.int64]
    missing: NDArray[np.bool_]
    counts: Counts

    def layer(self, number: int) -> NDArray[np.float32]:
        """The states of one layer, n x d."""
        return self.layers[self.numbers.index(number)]

    def block(self) -> Block:
        """All layers read into memory: a Block of n x layers x d."""
        return Block(np.stack(self.layers, axis=1), self.sentence, self.position, self.missing, self.counts)


@dataclass(frozen=True)
class Entry:
    """One entry of the cache, as the user sees it."""

    folder: Path
    about: About
    layers: tuple[int, ...]
    rows: int
    bytes: int
    used: float  # seconds since 1970, of the last use


def cache_folder() -> Path:
    """Where entries are kept."""
    return places.home() / "states"


def read_or_compute(
    key: str,
    about: About,
    layers: Sequence[int],
    width_of: Callable[[int], int],
    compute: Callable[[tuple[int, ...]], Iterable[Block]],
) -> CachedStates:
    """The entry called ``key``; layers that are not in it, or are damaged, are computed first, all in one pass.

    A pipeline's output has the number after the last layer's, and a width of its own.
    """
    folder = cache_folder() / key[:2] / key
    rows = _read_rows(folder)
    wanted = {layer: _layer_file(folder, layer) for layer in layers}
    absent = tuple(layer for layer, path in wanted.items() if rows is None or not is_sealed(path))
    if absent:
        if any(wanted[layer].exists() for layer in absent):
            say(f"{folder}: these hidden states are damaged, or have no digest; they are computed again")
        _write(folder, about, absent, compute(absent), width_of)
        rows = _read_rows(folder)
    if rows is None:
        raise IsoglossError(
            "this entry of the cache was deleted or damaged while it was read",
            where=folder,
            remedy="run the same command again: the states are computed again",
        )
    with suppress(PermissionError):  # a cache that may only be read
        (folder / "about.json").touch()  # so that cleaning knows when it was last used
    return replace(rows, numbers=tuple(layers), layers=tuple(map_matrix(wanted[layer]) for layer in layers))


def list_cache() -> list[Entry]:
    """All entries, the last used first; folders that a crash left without a description are left out."""
    described = sorted(cache_folder().glob("*/*/about.json"))
    return sorted((_describe(path.parent) for path in described), key=lambda entry: -entry.used)


def clean_cache(older_than_days: float = 0.0, model: str | None = None, to_bytes: int | None = None) -> list[Entry]:
    """Delete entries unused for this many days, of one model or of all; the longest unused first, down to a size."""
    limit, entries = time.time() - older_than_days * DAY, list_cache()
    total, gone = sum(entry.bytes for entry in entries), []
    for entry in reversed(entries):
        if to_bytes is not None and total <= to_bytes:
            break
        if entry.used <= limit and model in {None, entry.about.model}:
            shutil.rmtree(entry.folder)
            total -= entry.bytes
            gone.append(entry)
    return gone


def damaged_files(folder: Path | None = None) -> list[Path]:
    """Every file of the cache that is not as it was written (or was written before there were digests)."""
    files = sorted((folder or cache_folder()).glob("*/*/*.safetensors"))
    return [path for path in track(files, "reading hidden states") if not is_sealed(path)]


def _layer_file(folder: Path, layer: int) -> Path:
    return folder / f"layer-{layer:03d}.safetensors"


def _count_rows(path: Path) -> int:
    """The rows of a layer's file; 0 where it is damaged."""
    try:
        return len(map_matrix(path))
    except IsoglossError:
        return 0


def _write(
    folder: Path, about: About, layers: tuple[int, ...], blocks: Iterable[Block], width_of: Callable[[int], int]
) -> None:
    make_folder(folder)
    sentence, position, missing, counts = [], [], [], Counts()
    with ExitStack() as files:
        parts = [files.enter_context(whole_file(_layer_file(folder, layer))) for layer in layers]
        opened = [files.enter_context(part.open("wb")) for part in parts]
        writers = [MatrixWriter(file, width_of(layer)) for file, layer in zip(opened, layers, strict=True)]
        for block in blocks:
            for writer, column in zip(writers, block.columns(), strict=True):
                writer.append(column)
            sentence.append(block.sentence)
            position.append(block.position)
            missing.append(block.missing)
            counts += block.counts
        for writer, file, part in zip(writers, opened, parts, strict=True):
            writer.close_header()
            file.close()
            seal_file(part)
        rows = {
            "sentence": np.concatenate([*sentence, np.zeros(0, np.int64)]),
            "position": np.concatenate([*position, np.zeros(0, np.int64)]),
            "missing": np.concatenate([*missing, np.zeros(0, bool)]).astype(np.uint8),
        }
        with whole_file(folder / ROWS) as part:
            save_file(rows, part, {**SEALED, COUNTS: json.dumps(asdict(counts))})
            seal_file(part)
        write_whole(folder / "about.json", json.dumps({"about": asdict(about)}, indent=1))


def _read_rows(folder: Path) -> CachedStates | None:
    """What an entry says about its rows, no layers yet; None where there is no entry, or a damaged one."""
    if not is_sealed(folder / ROWS):
        return None
    with safe_open(str(folder / ROWS), framework="numpy") as file:
        counts = Counts(**json.loads(file.metadata()[COUNTS]))
        sentence, position, missing = (file.get_tensor(name) for name in ("sentence", "position", "missing"))
    return CachedStates((), (), sentence, position, missing.astype(bool), counts)


def _describe(folder: Path) -> Entry:
    described = folder / "about.json"
    try:
        content = json.loads(described.read_text(encoding="utf-8"))
        about = About(**content["about"])
    except (ValueError, KeyError, TypeError):
        about = About("(damaged)", None, "", "", "")
    files = [path for path in folder.iterdir() if path.is_file()]
    numbers = sorted(int(path.stem.removeprefix("layer-")) for path in folder.glob("layer-*.safetensors"))
    size = sum(path.stat().st_size for path in files)
    rows = _count_rows(_layer_file(folder, numbers[0])) if numbers else 0
    return Entry(folder, about, tuple(numbers), rows, size, described.stat().st_mtime)
