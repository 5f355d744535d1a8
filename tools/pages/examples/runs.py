from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from isogloss.runs import Bench, Cell, Inline, Store, key_of


@dataclass(frozen=True)
class Total:
    value: int


@dataclass(frozen=True)
class Add(Cell[Total]):
    """A cell: its fields are everything that its result depends on."""

    first: int
    second: int
    name: ClassVar[str] = "add"
    record: ClassVar[type] = Total

    def run(self, bench: Bench) -> Total:
        return Total(self.first + self.second)


store = Store(Path("store"))
print(key_of(Add(1, 2)))  # a hash of its content
Inline().run("sums", [Add(1, 2), Add(3, 4)], store)  # computes what is missing
print(store.get(Add(1, 2)))  # Total(value=3)
