"""What a cell asks of a machine, read off its settings: how many threads, and which kind of device."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from isogloss.runs.cells import Cell


@dataclass(frozen=True)
class Resources:
    """``threads`` None: whatever the engine gives. ``device``: as a user names it; empty: none is used."""

    threads: int | None = None
    device: str = ""

    @property
    def wants_gpu(self) -> bool:
        """Whether it cannot do without a GPU."""
        return self.device.startswith("cuda")

    @property
    def may_use_gpu(self) -> bool:
        return self.wants_gpu or self.device == "auto"


def resources_of(cell: Cell[Any]) -> Resources:
    """The ``threads`` and ``device`` among a cell's fields and settings, or else those of the cells it needs."""
    found: dict[str, Any] = {}
    for name, value in (*_settings(cell), *(pair for need in cell.needs() for pair in _settings(need))):
        if value is not None:
            found.setdefault(name, value)
    return Resources(found.get("threads"), found.get("device", ""))


def _settings(record: Any) -> Iterator[tuple[str, Any]]:
    """Every ``threads`` and ``device`` in a record and in the plain records inside it, outermost first."""
    values = [(field.name, getattr(record, field.name)) for field in fields(record)]
    yield from ((name, value) for name, value in values if name in ("threads", "device"))
    for _, value in values:
        if is_dataclass(value) and not isinstance(value, Cell | type):
            yield from _settings(value)
