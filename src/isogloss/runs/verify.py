"""Compute cells again, beside the store, and say whether their numbers come out again."""

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pandas as pd

from isogloss import places
from isogloss.errors import IsoglossError
from isogloss.files import make_folder
from isogloss.runs.cells import Cell, key_of
from isogloss.runs.resources import threads_of
from isogloss.runs.store import Store
from isogloss.runs.threads import fixed_threads
from isogloss.runs.work import StoreBench, describe_failure

TOLERANCE = 1e-4  # relative; other processors and threads round differently
TINY = 1e-6  # differences below are rounding, however small the numbers
VOLATILE = frozenset({"seconds", "created", "digest"})  # what no second run repeats, and digests over it
KEPT = frozenset({"store", "states"})  # of the home folder: results and states must not be read, but computed


@dataclass(frozen=True)
class Again:
    """A cell that was computed again: how many numbers were compared, and the largest relative difference and where."""

    label: str
    key: str
    numbers: int = 0
    largest: float = 0.0
    where: str = ""
    not_compared: tuple[str, ...] = ()
    failure: str = ""

    def same(self, tolerance: float) -> bool:
        """Whether everything came out again, within the tolerance."""
        return not self.failure and self.largest <= tolerance

    def describe(self, tolerance: float) -> str:
        """One line for people."""
        if self.failure:
            return f"failed: {self.label}: {self.failure}"
        word = "same" if self.same(tolerance) else "DIFFERENT"
        worst = f", largest relative difference {self.largest:.2g}" if self.largest else ", to the last bit"
        place = f" ({self.where})" if self.largest > tolerance else ""
        left = f"; not compared: {', '.join(self.not_compared)}" if self.not_compared else ""
        return f"{word}: {self.label}: {self.numbers:,} values{worst}{place}{left}"


class _ScratchBench(StoreBench):
    """Reads what the cell needs from the store, and writes beside it."""

    def __init__(self, store: Store, cell: Cell[Any], workspace: Path) -> None:
        super().__init__(store, cell)
        self._workspace = workspace

    @property
    def workspace(self) -> Path:
        return make_folder(self._workspace)


def choose_cells(cells: Sequence[Cell[Any]], sample: int | None, seed: int = 0) -> list[Cell[Any]]:
    """``sample`` of the cells, drawn by ``seed``, in their order; all of them for None."""
    if sample is None or sample >= len(cells):
        return list(cells)
    drawn = np.random.default_rng(seed).choice(len(cells), sample, replace=False)
    return [cells[place] for place in sorted(drawn.tolist())]


def compute_again(cell: Cell[Any], store: Store, scratch: Path) -> Again:
    """Compute a stored cell once more into ``scratch`` and compare it with what is stored, which stays as it is."""
    stored = store.get(cell)
    if stored is None:
        raise IsoglossError(
            f"the result of '{cell.label()}' is not in the store",
            where=store.result_path(cell),
            remedy="run the study again: it computes what is missing",
        )
    workspace = scratch / key_of(cell)
    try:
        with _fresh_home(scratch / "home"), fixed_threads(threads_of(cell)):
            record = cell.run(_ScratchBench(store, cell, workspace))
    except Exception as error:  # noqa: BLE001  (a cell that fails now is the answer to the question)
        return Again(cell.label(), key_of(cell), failure=describe_failure(cell, error).message)
    found = list(compare_values(msgspec.to_builtins(stored), msgspec.to_builtins(record), "record"))
    left = []
    for path in sorted(p for p in store.folder(cell).rglob("*") if p.is_file()):
        name = path.relative_to(store.folder(cell))
        if (compared := compare_files(path, workspace / name, str(name))) is None:
            left.append(str(name))
        else:
            found += compared
    largest, where = max(((gap, place) for place, gap in found), default=(0.0, ""))
    return Again(cell.label(), key_of(cell), len(found), largest, where, tuple(left))


def compare_values(old: Any, new: Any, place: str) -> Iterator[tuple[str, float]]:
    """Every leaf of two plain values with their relative difference; infinity where they are not even alike."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for name in dict.fromkeys([*old, *new]):
            if name not in VOLATILE:
                yield from compare_values(old.get(name), new.get(name), f"{place}.{name}")
    elif isinstance(old, list | tuple) and isinstance(new, list | tuple):
        if len(old) != len(new):
            yield place, math.inf
        for number, (one, other) in enumerate(zip(old, new, strict=False)):
            yield from compare_values(one, other, f"{place}[{number}]")
    elif _is_number(old) and _is_number(new):
        yield place, float(relative_gap(np.array(old, dtype=float), np.array(new, dtype=float)))
    else:
        yield place, 0.0 if old == new else math.inf


def compare_files(old: Path, new: Path, name: str) -> list[tuple[str, float]] | None:
    """The same for files of a cell's folder, value by value; None for other kinds whose bytes differ (logs)."""
    if not new.is_file():
        return [(name, math.inf)]
    if old.read_bytes() == new.read_bytes():
        return [(name, 0.0)]
    kinds = {".parquet": _compare_tables, ".safetensors": _compare_arrays, ".json": _compare_json}
    return kinds[old.suffix](old, new, name) if old.suffix in kinds else None


def _compare_tables(old: Path, new: Path, name: str) -> list[tuple[str, float]]:
    one, other = pd.read_parquet(old), pd.read_parquet(new)
    if one.shape != other.shape or list(one.columns) != list(other.columns):
        return [(name, math.inf)]
    columns = [column for column in one.columns if column not in VOLATILE]
    return [
        found
        for column in columns
        for found in compare_values(one[column].tolist(), other[column].tolist(), f"{name}.{column}")
    ]


def _compare_arrays(old: Path, new: Path, name: str) -> list[tuple[str, float]]:
    from safetensors.numpy import load_file

    arrays, others = load_file(old), load_file(new)
    if {key: value.shape for key, value in arrays.items()} != {key: value.shape for key, value in others.items()}:
        return [(name, math.inf)]
    return [(f"{name}.{key}", _array_gap(arrays[key], others[key])) for key in arrays]


def _compare_json(old: Path, new: Path, name: str) -> list[tuple[str, float]]:
    one, other = (msgspec.json.decode(path.read_bytes()) for path in (old, new))
    return list(compare_values(one, other, name))


def relative_gap(old: np.ndarray, new: np.ndarray) -> float:
    """The largest ``|a - b| / max(|a|, |b|)``; rounding of tiny numbers and NaN in both count as no difference."""
    with np.errstate(invalid="ignore"):
        gap = np.abs(old - new)
        both = (np.isnan(old) & np.isnan(new)) | (old == new)
        gap = np.where(both | (gap <= TINY), 0.0, gap / np.maximum(np.maximum(np.abs(old), np.abs(new)), TINY))
    return float(np.nan_to_num(gap, nan=math.inf).max(initial=0.0))


def _array_gap(old: np.ndarray, new: np.ndarray) -> float:
    """Arrays as wholes: the length of their difference, as a share of the longer one's."""
    one, other = old.astype(np.float64), new.astype(np.float64)
    length = max(float(np.linalg.norm(one)), float(np.linalg.norm(other)))
    return float(np.linalg.norm(one - other)) / length if length else 0.0


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@contextmanager
def _fresh_home(folder: Path) -> Iterator[None]:
    """A home folder with the user's data, but without results and cached states: these are to be computed."""
    real = places.home()
    make_folder(folder)
    for entry in real.iterdir() if real.is_dir() else ():
        if entry.name not in KEPT and not (folder / entry.name).exists():
            (folder / entry.name).symlink_to(entry, target_is_directory=entry.is_dir())
    before = os.environ.get("ISOGLOSS_HOME")
    os.environ["ISOGLOSS_HOME"] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ["ISOGLOSS_HOME"]
        else:
            os.environ["ISOGLOSS_HOME"] = before
