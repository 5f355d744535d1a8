"""A plan: cells in an order that respects what each needs, and what is left of it to do."""

from collections.abc import Callable, Iterable
from functools import cached_property
from heapq import heappop, heappush
from typing import Any

from isogloss.runs.cells import Cell, key_of, kind_of
from isogloss.runs.labels import distinct_labels

Memory = Callable[[Cell[Any], bool], int]  # bytes that a cell needs, with or without GPUs; 0 where nobody knows


class Plan:
    """All cells of a study with the cells they need, each once. ``next`` hands out what can run now."""

    def __init__(self, cells: Iterable[Cell[Any]], memory: Memory = lambda cell, gpus: 0) -> None:
        self.memory = memory
        self.cells: dict[str, Cell[Any]] = {}
        for cell in cells:
            self._add(cell)
        self._waits_for = {key: {key_of(need) for need in cell.needs()} for key, cell in self.cells.items()}
        self._needed_by: dict[str, list[str]] = {key: [] for key in self.cells}
        for key, needs in self._waits_for.items():
            for need in needs:
                self._needed_by[need].append(key)
        self._open = dict.fromkeys(self.cells)
        self._keys = self._in_turn()
        self._place = {key: place for place, key in enumerate(self._keys)}
        self._ready = [self._place[key] for key, needs in self._waits_for.items() if not needs]  # a heap of places

    def __len__(self) -> int:
        return len(self.cells)

    @cached_property
    def labels(self) -> dict[str, str]:
        """What each cell is called on the screen, by key; no two the same."""
        return distinct_labels(self.cells)

    @property
    def open(self) -> int:
        """How many cells are neither finished nor dropped nor handed out."""
        return len(self._open)

    @property
    def open_cells(self) -> dict[str, Cell[Any]]:
        """Those cells, by key."""
        return {key: self.cells[key] for key in self._open}

    def next(self, fits: Callable[[Cell[Any]], bool] = lambda cell: True) -> str | None:
        """The key of the first cell whose needs are all met, or None when every open cell waits for a running one.

        None too where that cell does not fit now: it waits for room, and is not overtaken.
        """
        while self._ready:
            key = self._keys[self._ready[0]]
            if key in self._open and not fits(self.cells[key]):
                return None
            heappop(self._ready)
            if key in self._open:
                del self._open[key]
                return key
        return None

    def finish(self, key: str) -> None:
        """Mark a cell as done."""
        self._open.pop(key, None)
        for dependent in self._needed_by[key]:
            waits = self._waits_for[dependent]
            waits.discard(key)
            if not waits and dependent in self._open:
                heappush(self._ready, self._place[dependent])

    def reopen(self, key: str) -> None:
        """Take back a cell that was handed out and did not end: it can run again."""
        self._open[key] = None
        heappush(self._ready, self._place[key])

    def drop_dependents(self, key: str) -> list[str]:
        """Take out every open cell that needs ``key``, directly or not; their keys are returned."""
        dropped: list[str] = []
        doomed = {key}
        for other in list(self._open):  # needs come before their dependents, so one pass reaches them all
            if self._waits_for[other] & doomed:
                doomed.add(other)
                dropped.append(other)
                del self._open[other]
        return dropped

    def _in_turn(self) -> list[str]:
        """Keys as they are handed out: one cell of every kind before the others, so that the time left is soon known.

        After that as they were given.
        """
        first = dict.fromkeys({kind_of(cell): key for key, cell in reversed(self.cells.items())}.values())
        return [*(key for key in self.cells if key in first), *(key for key in self.cells if key not in first)]

    def _add(self, cell: Cell[Any]) -> None:
        key = key_of(cell)
        if key not in self.cells:
            for need in cell.needs():
                self._add(need)
            self.cells[key] = cell
