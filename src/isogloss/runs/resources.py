"""What a cell asks of a machine, read off its settings: how many threads, and which kind of device."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from isogloss.runs.cells import Cell
from isogloss.runs.threads import cores


@dataclass(frozen=True)
class Resources:
    """``threads`` None: not set by the user. ``device``: as a user names it; empty: none is used."""

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


def threads_of(cell: Cell[Any]) -> int:
    """The threads a cell is computed with: a matter of the cell alone, not of the workers or of what is left to do.

    Its ``threads`` setting; otherwise one, or all cores of this machine for a cell that reads a large model.
    """
    return resources_of(cell).threads or (cores() if reads_large_model(cell) else 1)


def reads_large_model(cell: Cell[Any]) -> bool:
    """Whether a model among its inputs, or those of the cells it needs, says that it is large."""
    kept = cell.__dict__
    if "_large" not in kept:
        own = any(record.is_large() for record in _records(cell) if hasattr(record, "is_large"))
        kept["_large"] = own or any(map(reads_large_model, cell.needs()))
    found: bool = kept["_large"]
    return found


def _settings(record: Any) -> Iterator[tuple[str, Any]]:
    """Every ``threads`` and ``device`` in a record and in the plain records inside it, outermost first."""
    for part in _records(record):
        yield from ((field.name, getattr(part, field.name)) for field in fields(part) if field.name in _ASKED)


_ASKED = ("threads", "device")


def _records(record: Any) -> Iterator[Any]:
    """A record and the plain records inside it, outermost first."""
    yield record
    for field in fields(record):
        value = getattr(record, field.name)
        if is_dataclass(value) and not isinstance(value, Cell | type):
            yield from _records(value)
