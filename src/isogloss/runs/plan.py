"""A plan: cells in an order that respects what each needs, and what is left of it to do."""

from collections.abc import Iterable
from typing import Any

from isogloss.runs.cells import Cell, key_of


class Plan:
    """All cells of a study with the cells they need, each once. ``next`` hands out what can run now."""

    def __init__(self, cells: Iterable[Cell[Any]]) -> None:
        self.cells: dict[str, Cell[Any]] = {}
        for cell in cells:
            self._add(cell)
        self._waits_for = {key: {key_of(need) for need in cell.needs()} for key, cell in self.cells.items()}
        self._open = dict.fromkeys(self.cells)

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def open(self) -> int:
        """How many cells are neither finished nor dropped nor handed out."""
        return len(self._open)

    def next(self) -> str | None:
        """The key of a cell whose needs are all met, or None when every open cell waits for a running one."""
        for key in self._open:
            if not self._waits_for[key]:
                del self._open[key]
                return key
        return None

    def finish(self, key: str) -> None:
        """Mark a cell as done."""
        self._open.pop(key, None)
        for waits in self._waits_for.values():
            waits.discard(key)

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

    def _add(self, cell: Cell[Any]) -> None:
        key = key_of(cell)
        if key not in self.cells:
            for need in cell.needs():
                self._add(need)
            self.cells[key] = cell
