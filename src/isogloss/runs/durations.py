"""How long a cell of a kind takes: as in this run, or as the store remembers."""

import os
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from heapq import nlargest
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

from isogloss.errors import IsoglossError
from isogloss.runs.cells import family_of, name_kind
from isogloss.runs.envelope import read_envelope

READ = 400  # result files at most, the newest first: a start must stay cheap
ENOUGH = 15  # durations of a kind: older ones add nothing
FEW = 5  # finished cells, below which they say nothing of other kinds
LEAST = 0.2  # of the seconds of a process's first cell that were its own work
BRIEF = 10.0  # seconds, within which little is said of how fast a machine is: a first cell also opens libraries


class _Inputs(msgspec.Struct):
    """Those that a kind is named by (``PACED``)."""

    task: Any = None
    model: Any = None


class _Described(msgspec.Struct):
    cell: str
    inputs: _Inputs

    @property
    def kind(self) -> str:
        return name_kind(self.cell, msgspec.structs.asdict(self.inputs))


class _Timed(msgspec.Struct):
    """What of a result file says how long its cell took."""

    described: _Described
    seconds: float


class Durations:
    """Typical seconds by kind of cell. This run's own come first; the store's history is read when first needed.

    ``expected`` are seconds on some machine, for kinds that neither knows; they are scaled by how fast this one is.
    """

    def __init__(
        self, root: Path | None = None, kinds: Collection[str] = (), expected: Mapping[str, float] | None = None
    ) -> None:
        self._root, self._kinds, self._expected = root, kinds, expected or {}
        self._own: dict[str, list[float]] = {}
        self._first: dict[str, list[float]] = {}  # of the first cells of processes
        self._medians: dict[str, float] = {}  # of both, made when first asked for after a note

    def note(self, kind: str, seconds: float, *, first: bool = False) -> None:
        """A cell of this run took so long; the ``first`` of a process also opened libraries."""
        (self._first if first else self._own).setdefault(kind, []).append(seconds)
        self._medians = {}

    def typical(self, kind: str, under_way: Mapping[str, float] | None = None) -> float | None:
        """The median of this run's cells of the kind, or of the store's; what is expected; None for a kind unknown.

        ``under_way`` has, by kind, what running cells will have taken by their own progress.
        """
        under_way = under_way or {}
        if kind in (own := self._own_medians()):
            return own[kind]
        if kind in self._history:
            return self._history[kind]
        if kind in under_way:
            return under_way[kind]
        family = family_of(kind)
        return self._expected[family] * self._pace(under_way) if family in self._expected else None

    def _own_medians(self) -> dict[str, float]:
        """Of this run's kinds. Where only a first cell is there, what opening libraries took elsewhere is left out."""
        if made := self._medians:
            return made
        later = {kind: median(seconds) for kind, seconds in list(self._own.items())}
        first = {kind: median(seconds) for kind, seconds in list(self._first.items())}
        both = [first[kind] - later[kind] for kind in first if kind in later]
        opening = max(0.0, median(both)) if both else 0.0
        self._medians = {kind: max(seconds - opening, LEAST * seconds) for kind, seconds in first.items()} | later
        return self._medians

    def guess(self, kind: str) -> float | None:
        """For a kind unknown: the median of cells of its name, or of all of this run; None while these are few."""
        family, own = family_of(kind), list(self._own.items())
        alike = [seconds for other, seconds in self._own_medians().items() if family_of(other) == family]
        if alike or family in self._history:
            return median(alike) if alike else self._history[family]
        seconds = [one for _, some in own for one in some]
        return median(seconds) if len(seconds) >= FEW else None

    def _pace(self, under_way: Mapping[str, float]) -> float:
        """How much longer this machine takes than the one of ``expected``, by the time that both spent."""
        known = dict(under_way) | self._own_medians()
        seen = {kind: seconds for kind, seconds in known.items() if family_of(kind) in self._expected}
        there = sum(self._expected[family_of(kind)] for kind in seen)
        return (sum(seen.values()) + BRIEF) / (there + BRIEF)

    @cached_property
    def _history(self) -> dict[str, float]:
        try:
            return read_history(self._root, self._kinds) if self._root else {}
        except OSError:  # a file that is removed meanwhile: an estimate is no reason to stop a run
            return {}


def read_history(root: Path, kinds: Collection[str]) -> dict[str, float]:
    """Median seconds of the newest results of each kind in the store at ``root``, and of each name among ``kinds``;
    those without any are left out."""
    found: dict[str, list[float]] = {name: [] for kind in kinds for name in (kind, family_of(kind))}
    for path in _newest(root / "results"):
        if all(len(seconds) >= ENOUGH for seconds in found.values()):
            break
        timed = _read(path)
        for name in {timed.described.kind, timed.described.cell} if timed is not None else ():
            if timed is not None and len(found.get(name, range(ENOUGH))) < ENOUGH:
                found[name].append(timed.seconds)
    return {kind: median(seconds) for kind, seconds in found.items() if seconds}


def _newest(folder: Path) -> list[str]:
    """The result files that were written last; errors and what was set aside have two suffixes."""
    dated = ((entry.stat().st_mtime, entry.path) for entry in _entries(folder) if entry.name.count(".") == 1)
    return [path for _, path in nlargest(READ, dated)]


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    for shelf in folder.glob("*/"):
        with os.scandir(shelf) as entries:
            yield from entries


def _read(path: str) -> _Timed | None:
    """None for a damaged file: an estimate can do without it, and whoever needs the result is told."""
    try:
        return msgspec.json.decode(Path(path).read_bytes(), type=_Timed)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


class TimedResult(msgspec.Struct, frozen=True):
    """A finished cell as the store remembers it: its kind, its inputs as plain data, and how long it took."""

    kind: str
    inputs: dict[str, Any]
    seconds: float


def timed_results(root: Path, kinds: Collection[str]) -> Iterator[TimedResult]:
    """The newest results of these kinds in the store at ``root``; damaged files are left out."""
    for path in _newest(root / "results"):
        try:
            found = read_envelope(Path(path).read_bytes(), Path(path))
        except (OSError, IsoglossError):  # an estimate can do without it
            continue
        kind, inputs = found.described.get("cell"), found.described.get("inputs")
        if kind in kinds and isinstance(inputs, dict):
            yield TimedResult(str(kind), inputs, found.seconds)
