"""Engines run a plan's missing cells: ``Inline`` in this process, ``Local`` on this machine, ``Ray`` on a cluster."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from isogloss.digests import DamagedError
from isogloss.errors import IsoglossError, unknown_name
from isogloss.runs.cells import Cell, kind_of
from isogloss.runs.durations import Durations
from isogloss.runs.plan import Memory, Plan
from isogloss.runs.store import SMALL, Failure, Store
from isogloss.runs.view import Expected, RunView
from isogloss.runs.work import do_job, job_of


@dataclass
class Outcome:
    """What a run came to: the failures by key, and how many cells were computed now or found."""

    failures: dict[str, Failure] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)  # key -> label of the failed cell it needed
    computed: int = 0
    found: int = 0
    damaged: list[str] = field(default_factory=list)  # what was damaged in the store, and was computed again

    @property
    def exit_code(self) -> int:
        """0, or 2 when every failure is a user's mistake, or 1."""
        if not self.failures:
            return 0
        return 2 if all(failure.users_mistake for failure in self.failures.values()) else 1


class Engine(ABC):
    """Runs cells; what is in the store already is not computed again."""

    def run(
        self,
        title: str,
        cells: Sequence[Cell[Any]],
        store: Store,
        memory: Memory = lambda cell, gpus: 0,
        expected: Mapping[str, float] | None = None,
    ) -> Outcome:
        """Compute what is missing. ``memory``: what cells need, for engines that place them on several machines.

        ``expected``: seconds by kind of cell, for the time left where no such cell has run here yet.
        """
        plan, outcome = Plan(cells, memory), Outcome()
        missing: dict[str, Cell[Any]] = {}
        for key, cell in plan.cells.items():
            if store.has(cell) and _is_sound(cell, store, outcome):
                plan.finish(key)
                outcome.found += 1
            else:
                missing[key] = cell
        if missing:
            store.require_writable()
        waiting = {key: Expected(kind_of(cell), self.side_by_side(cell)) for key, cell in missing.items()}
        durations = Durations(store.root, {one.kind for one in waiting.values()}, expected)
        with RunView(title, waiting, outcome.found, durations) as view:
            for damage in outcome.damaged:
                view.say(f"{damage}; it is computed again")
            self._run_missing(plan, store, view, outcome)
        return outcome

    here = True  # whether cells run on this machine

    def side_by_side(self, cell: Cell[Any]) -> int:
        """How many cells like this one run at a time; 0 where only the run itself shows it."""
        return 0

    @abstractmethod
    def _run_missing(self, plan: Plan, store: Store, view: RunView, outcome: Outcome) -> None:
        """Run every open cell of the plan and note in ``outcome`` how each ended."""


class Inline(Engine):
    """One cell after the other in this process: for tests, notebooks and debuggers."""

    def side_by_side(self, cell: Cell[Any]) -> int:
        return 1

    def _run_missing(self, plan: Plan, store: Store, view: RunView, outcome: Outcome) -> None:
        while (key := plan.next()) is not None:
            cell = plan.cells[key]
            view.started(key, plan.labels[key])
            note_end(key, do_job(job_of(cell, view.title), store), plan, view, outcome)


def _is_sound(cell: Cell[Any], store: Store, outcome: Outcome) -> bool:
    """Whether a stored result is as it was written; a damaged one is set aside now, not noticed after hours of work."""
    try:
        store.get(cell)
        store.check(cell, at_most=SMALL)
    except DamagedError as damage:
        if not store.writable:
            raise
        store.set_aside(cell)
        outcome.damaged.append(f"{damage.where}: {damage.what}")
        return False
    return True


def note_end(key: str, failure: Failure | None, plan: Plan, view: RunView, outcome: Outcome) -> None:
    """Book a finished cell: its dependents may start, or, if it failed, never will."""
    view.ended(key, failure)
    if failure is None:
        outcome.computed += 1
        plan.finish(key)
        return
    outcome.failures[key] = failure
    for dropped in plan.drop_dependents(key):
        view.skipped(dropped)
        outcome.skipped[dropped] = failure.label


def make_engine(name: str, workers: int = 0, address: str = "") -> Engine:
    """The engine a user names: ``local`` (``workers`` processes, 0 = one per core), ``inline`` or ``ray``."""
    from isogloss.runs.local import Local
    from isogloss.runs.ray import Ray

    if workers < 0:
        raise IsoglossError(f"--workers cannot be negative ({workers})", remedy="0 means one process per core")
    if address and name != "ray":
        raise IsoglossError("only Ray has an address", where="--address", remedy="add --engine ray")
    engines: Mapping[str, Callable[[], Engine]] = {
        "local": lambda: Local(workers),
        "inline": Inline,
        "ray": lambda: Ray(address, workers),
    }
    if name not in engines:
        raise unknown_name("engine", name, engines)
    return engines[name]()
