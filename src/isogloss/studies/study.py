"""A study: a question as a plan of cells, and the rules that turn their results into an answer."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar

from isogloss.bounds import check_settings
from isogloss.errors import IsoglossError, unknown_name
from isogloss.places import home
from isogloss.runs import Cell, Engine, Local, Outcome, Store, key_of
from isogloss.studies.result import Result

Config = TypeVar("Config")
Record = TypeVar("Record")

STUDIES: Mapping[str, str] = {
    "ablate": "isogloss.studies.ablate",
    "align": "isogloss.studies.align",
    "emerge": "isogloss.studies.emerge",
    "forget": "isogloss.studies.forget",
    "fuse": "isogloss.studies.fuse",
    "glance": "isogloss.studies.glance",
    "inspect": "isogloss.studies.inspect",
    "locate": "isogloss.studies.locate",
    "preserve": "isogloss.studies.preserve",
    "transfer": "isogloss.studies.transfer",
}


class Results:
    """The records of a finished plan, looked up by cell."""

    def __init__(self, store: Store, failed: Mapping[str, Any]) -> None:
        self._store, self._failed = store, failed

    def __getitem__(self, cell: Cell[Record]) -> Record:
        record = self._store.get(cell)
        if record is None:
            raise KeyError(cell.label())
        return record

    def __contains__(self, cell: Cell[Any]) -> bool:
        return key_of(cell) not in self._failed and self._store.has(cell)

    def folder(self, cell: Cell[Any]) -> Path:
        """The folder that a finished cell left."""
        return self._store.folder(cell)

    def seconds(self, cells: Sequence[Cell[Any]]) -> float:
        """Computing time of these cells, whenever that was."""
        return sum(self._store.seconds(cell) for cell in cells if self._store.has(cell))


@dataclass(frozen=True)
class Study(Generic[Config]):
    """A study's name, its question, its settings, the cells it needs and how it reads them."""

    name: str
    question: str
    config: type[Config]
    plan: Callable[[Config], Sequence[Cell[Any]]]
    summarise: Callable[[Config, Results], Result]

    def run(self, config: Config, *, engine: Engine | None = None, store: Store | None = None) -> Result:
        """Compute what is missing and answer; a failed cell is an error that says which and why."""
        result, outcome = self.attempt(config, engine or Local(), store or default_store())
        if result is None:
            raise IsoglossError(describe_failures(outcome), where=f"study '{self.name}'")
        return result

    def attempt(self, config: Config, engine: Engine, store: Store) -> tuple[Result | None, Outcome]:
        """Compute what is missing; the answer is None when cells it needs have failed (see the outcome)."""
        check_settings(config, f"study '{self.name}'")
        start = time.monotonic()
        outcome = engine.run(self.name, self.plan(config), store)
        if outcome.failures:
            return None, outcome
        result = self.summarise(config, Results(store, outcome.failures))
        if not result.provenance.seconds:
            seconds = round(time.monotonic() - start, 1)
            result = replace(result, provenance=replace(result.provenance, seconds=seconds))
        return result, outcome


def get_study(name: str) -> Study[Any]:
    """The study of that name."""
    if name not in STUDIES:
        raise unknown_name("study", name, STUDIES)
    study: Study[Any] = import_module(STUDIES[name]).STUDY
    return study


def default_store() -> Store:
    """The store that all studies of this user share."""
    return Store(home() / "store")


def describe_failures(outcome: Outcome) -> str:
    """Which cells failed and why, and how many could not start because of them."""
    lines = [f"{len(outcome.failures)} of the cells failed:"]
    lines += [f"- {failure.label}: {failure.message}" for failure in outcome.failures.values()]
    if outcome.skipped:
        lines.append(f"{len(outcome.skipped)} more cells needed one of these and were not started")
    return "\n".join(lines)
