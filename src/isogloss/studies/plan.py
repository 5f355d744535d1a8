"""A study's plan: which cell stands for which condition, so that whoever reads the results need not plan again."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Generic, TypeVar

from isogloss.runs import Cell, Plan, key_of

Config = TypeVar("Config")
Condition = TypeVar("Condition")


@dataclass(frozen=True)
class StudyPlan(Generic[Config, Condition]):
    """Settings and their conditions: frozen dataclasses that name what is compared and hold the cells for it."""

    config: Config
    conditions: tuple[Condition, ...]

    @cached_property
    def cells(self) -> tuple[Cell[Any], ...]:
        """The cells among the fields of the conditions, each once, in order."""
        found = (cell for condition in self.conditions for cell in _cells_of(condition))
        return tuple({key_of(cell): cell for cell in found}.values())

    @cached_property
    def all_cells(self) -> tuple[Cell[Any], ...]:
        """The same with every cell that they need: everything that the result rests on."""
        return tuple(Plan(self.cells).cells.values())


def _cells_of(value: Any) -> Iterator[Cell[Any]]:
    if isinstance(value, Cell):
        yield value
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _cells_of(part)
    elif isinstance(value, dict):
        yield from _cells_of(tuple(value.values()))
    elif hasattr(value, "__dataclass_fields__"):
        for field in fields(value):
            yield from _cells_of(getattr(value, field.name))
