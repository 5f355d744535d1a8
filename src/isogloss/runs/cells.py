"""A cell: one unit of work, named by the content of its inputs."""

import hashlib
from abc import ABC, abstractmethod
from dataclasses import Field, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from isogloss.errors import IsoglossError

Record = TypeVar("Record")
ADDED_LATER = {"added later": True}  # metadata of a setting that at its default leaves keys as they were without it
BETWEEN = " / "  # the parts of a kind
PACED = ("task", "model")  # inputs that make cells of one name differ in how long they take
WHERE_IT_LIES = {"where it lies": True}  # metadata of a path beside a content hash: moving the file moves no key


@dataclass(frozen=True)
class Cell(ABC, Generic[Record]):
    """One unit of work. Subclasses are frozen dataclasses whose fields are everything the result depends on:
    inputs (with their revision or content hash), settings, seed, and the cells whose results they read.

    ``name`` and ``version`` are part of the key: bump ``version`` when the meaning of the result changes.
    ``record`` is the type of the result, a small frozen dataclass; large outputs go into the bench's folder.
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1
    record: ClassVar[type]

    @abstractmethod
    def run(self, bench: "Bench") -> Record:
        """Do the work and return the record."""

    def label(self) -> str:
        """A few words for the progress view."""
        return self.name

    def states_held(self, columns: int) -> int:
        """How many hidden states, each as wide as its model, it has in memory at once at least, given the model's
        number of layers; 0: next to none."""
        return 0

    def needs(self) -> tuple["Cell[Any]", ...]:
        """The cells among this cell's fields, which run before it."""
        return tuple(part for field in fields(self) for part in _cells_in(getattr(self, field.name)))


class Bench(ABC):
    """What a cell finds while it runs: the results and folders of the cells it needs, and a folder of its own."""

    @abstractmethod
    def result(self, cell: Cell[Record]) -> Record:
        """The result of a finished cell."""

    @abstractmethod
    def folder(self, cell: Cell[Any]) -> Path:
        """The folder that a finished cell left, such as a model."""

    @property
    @abstractmethod
    def workspace(self) -> Path:
        """This cell's own folder. It survives a kill, so a cell can resume from its checkpoints in it; when the cell
        ends well it becomes the cell's folder."""


def key_of(cell: Cell[Any]) -> str:
    """The cell's name in the store: a hash of its kind, its version and its content."""
    return _key(cell, paths=False)


def key_by_path(cell: Cell[Any]) -> str:
    """The name that older releases gave the cell: with the path of a model as well as its content."""
    return _key(cell, paths=True)


def _key(cell: Cell[Any], paths: bool) -> str:
    """Kept with the cell, which never changes: a plan asks for it again and again."""
    kept, name = cell.__dict__, f"_key{cell.version}{'_by_path' if paths else ''}"
    if name not in kept:
        plain = msgspec.json.encode(describe(cell, paths), order="deterministic")
        kept[name] = hashlib.sha256(plain).hexdigest()[:40]
    found: str = kept[name]
    return found


def describe(cell: Cell[Any], paths: bool = False) -> dict[str, Any]:
    """The cell as plain data, the way it is hashed and stored beside its result."""
    inputs = {
        field.name: _plain(getattr(cell, field.name), cell, paths)
        for field in fields(cell)
        if not _left_out(field, getattr(cell, field.name))
    }
    return {"cell": cell.name, "version": cell.version, "inputs": inputs}


def kind_of(cell: Cell[Any]) -> str:
    """Its name, with its task and model where it has them: cells of one kind take about as long as each other."""
    there = {field.name for field in fields(cell)}
    return name_kind(cell.name, {name: _plain(getattr(cell, name), cell, False) for name in PACED if name in there})


def name_kind(name: str, inputs: dict[str, Any]) -> str:
    """The same of a cell's name and inputs as plain data. A model that is a cell too counts by that cell's name."""
    parts = [inputs[part] for part in PACED if inputs.get(part) is not None]
    told = (part.get("cell") or part if isinstance(part, dict) else part for part in parts)
    shown = [
        part if isinstance(part, str) else msgspec.json.encode(part, order="deterministic").decode() for part in told
    ]
    return BETWEEN.join([name, *shown])


def family_of(kind: str) -> str:
    """The name of the cells of a kind."""
    return kind.partition(BETWEEN)[0]


def _plain(value: Any, owner: Cell[Any], paths: bool) -> Any:
    """Plain data with a cell replaced by its key."""
    if isinstance(value, Cell):
        return {"cell": value.name, "key": _key(value, paths)}
    if isinstance(value, list | tuple):
        return [_plain(part, owner, paths) for part in value]
    try:
        return _named_by_content(value, msgspec.to_builtins(value, order="deterministic"), paths)
    except (TypeError, msgspec.ValidationError) as error:
        raise IsoglossError(
            f"a cell's input must be plain data, not {type(value).__name__}",
            where=f"cell '{owner.name}'",
            remedy="give a content hash or a frozen dataclass of plain values instead",
        ) from error


def _named_by_content(value: Any, plain: Any, paths: bool) -> Any:
    """Leave out paths, and what was added later and stands at its default, so that keys of older releases stay."""
    if not is_dataclass(value):
        return plain
    settings = [(field, getattr(value, field.name)) for field in fields(value) if field.name in plain]  # as read
    return {
        field.name: _named_by_content(setting, plain[field.name], paths)
        for field, setting in settings
        if not _left_out(field, setting) and (paths or field.metadata != WHERE_IT_LIES)
    }


def _left_out(field: Field[Any], setting: Any) -> bool:
    return field.metadata == ADDED_LATER and bool(setting == field.default)


def _cells_in(value: Any) -> tuple[Cell[Any], ...]:
    if isinstance(value, Cell):
        return (value,)
    if isinstance(value, list | tuple):
        return tuple(cell for part in value for cell in _cells_in(part))
    return ()
