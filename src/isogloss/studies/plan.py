"""A study's plan: which cell stands for which condition, so that whoever reads the results need not plan again."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from isogloss.runs import Cell, Plan, key_of
from isogloss.runs.records import records_in

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
        records = records_in(self.conditions, lambda record: not isinstance(record, Cell))
        return tuple({key_of(cell): cell for cell in records if isinstance(cell, Cell)}.values())

    @cached_property
    def all_cells(self) -> tuple[Cell[Any], ...]:
        """The same with every cell that they need: everything that the result rests on."""
        return tuple(Plan(self.cells).cells.values())
