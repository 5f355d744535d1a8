"""A study: a question as a plan of cells, and the parts that turn their results into an answer."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import pandas as pd

from isogloss.bounds import check_settings
from isogloss.errors import IsoglossError, unknown_name
from isogloss.places import home
from isogloss.plugins import parts
from isogloss.runs import Cell, Engine, Inline, Local, Outcome, Store, key_of
from isogloss.studies.columns import check_columns
from isogloss.studies.names import STUDIES
from isogloss.studies.plan import StudyPlan
from isogloss.studies.result import Figure, Finding, Result, Table, by_name

Config = TypeVar("Config")
Record = TypeVar("Record")


class Results:
    """The records of a finished plan, looked up by cell."""

    def __init__(self, store: Store, failed: Mapping[str, Any] | None = None) -> None:
        self._store, self._failed = store, failed or {}

    def __getitem__(self, cell: Cell[Record]) -> Record:
        record = self._store.get(cell)
        if record is None:
            raise KeyError(cell.label())
        return record

    def __contains__(self, cell: Cell[Any]) -> bool:
        return key_of(cell) not in self._failed and self._store.has(cell)

    def folder(self, cell: Cell[Any]) -> Path:
        """The folder that a finished cell left, every file in it as it was written."""
        return self._store.sound_folder(cell)

    def seconds(self, cells: Sequence[Cell[Any]]) -> float:
        """Computing time of these cells, whenever that was."""
        return sum(self._store.seconds(cell) for cell in cells if self._store.has(cell))


class View(Protocol):
    """What a study's ``view_of`` makes of the records of its cells; tables, figures and findings read only this."""

    def records(self) -> pd.DataFrame:
        """The tidy frame behind the result, in the columns of ``studies/columns.py``."""


AnyView = TypeVar("AnyView", bound=View)


@dataclass(frozen=True)
class Study(Generic[Config, AnyView]):
    """A study and its parts, each in the file of its own folder that bears its name.

    ``plan``: settings to labelled cells. ``view``: the cells' records to frames. ``findings``, ``tables`` and
    ``figures`` read the view; the first table and the first figure are the main ones. ``configure``: a preset and
    options to settings, for the command and for Python. ``demo``: settings for a laptop, by seed and size.
    ``encoder``: where a study pretrains, the model that ``RUN@NAME`` means.
    """

    name: str
    question: str
    config: type[Config]
    plan: Callable[[Config], StudyPlan[Config, Any]]
    view: Callable[[StudyPlan[Config, Any], Results], AnyView]
    findings: Callable[[AnyView], Iterable[Finding]]
    tables: Callable[[AnyView], Iterable[Table]]
    figures: Callable[[AnyView], Iterable[Figure]]
    configure: Callable[..., Config] | None = None
    demo: Callable[[int, str], Config] | None = None
    encoder: Callable[[Config, str, str], Any] | None = None

    @classmethod
    def of_folder(cls, folder: str, question: str, config: type[Config]) -> "Study[Config, Any]":
        """The study of a folder (its ``__name__``), whose parts stand in the usual files under the usual names."""

        def part(file: str, name: str, *otherwise: None) -> Any:
            return getattr(import_module(f"{folder}.{file}"), name, *otherwise)

        return Study(
            name=folder.rpartition(".")[2],
            question=question,
            config=config,
            plan=part("plan", "plan"),
            view=part("view", "view_of"),
            findings=part("findings", "findings_of"),
            tables=part("tables", "tables_of"),
            figures=part("figures", "figures_of"),
            configure=part("config", "configure"),
            demo=part("config", "demo", None),
            encoder=part("plan", "named_encoder", None),
        )

    def run(self, config: Config, *, engine: Engine | None = None, store: Store | None = None) -> Result:
        """Compute what is missing and answer; a failed cell is an error that says which and why."""
        result, outcome = self.attempt(self.prepare(config), engine or Local(), store or default_store())
        if result is None:
            raise IsoglossError(describe_failures(outcome), where=f"study '{self.name}'")
        return result

    def prepare(self, config: Config) -> StudyPlan[Config, Any]:
        """The plan of settings that were checked against their bounds."""
        check_settings(config, f"study '{self.name}'")
        return self.plan(config)

    def attempt(self, plan: StudyPlan[Config, Any], engine: Engine, store: Store) -> tuple[Result | None, Outcome]:
        """Compute what is missing; the answer is None when cells it needs have failed (see the outcome).

        Models are opened first: one that cannot be opened costs no other cell, and warnings come before findings.
        """
        from isogloss.studies.shared.disk_room import warn_of_full_disk
        from isogloss.studies.shared.layer_health import pretrained_among, unsound_layers
        from isogloss.studies.shared.memory_room import check_memory, check_openings, memory_needed
        from isogloss.studies.shared.opened import openings, warnings_of

        opened = openings(plan.all_cells)
        check_openings(cell for cell in opened if not store.has(cell))
        outcome = Inline().run(f"{self.name}: models", opened, store)
        if outcome.failures:
            return None, outcome
        sizes = {cell.model: Results(store)[cell] for cell in opened}
        check_memory(plan.all_cells, engine, store, sizes)
        warn_of_full_disk(plan.all_cells, store, sizes)
        outcome = engine.run(
            self.name, plan.cells, store, lambda cell, gpus: memory_needed(cell, sizes, gpus=gpus).total
        )
        if outcome.failures:
            return None, outcome
        results = Results(store)
        result = self.summarise(plan, results)
        warnings = warnings_of((cell, results[cell]) for cell in opened)
        idle = unsound_layers((cell.label(), results[cell].warnings) for cell in pretrained_among(plan.all_cells))
        return replace(result, findings=(*warnings, *idle, *result.findings)), outcome

    def summarise(self, plan: StudyPlan[Config, Any], results: Results) -> Result:
        """The answer: findings, tables, figures and the tidy records of a plan whose cells are all there."""
        from isogloss.studies.shared.provenance import provenance_of
        from isogloss.studies.shared.seeds_note import seeds_note

        view = self.view(plan, results)
        figures = by_name(*self.figures(view))
        return Result(
            study=self.name,
            question=self.question,
            findings=(*sorted(self.findings(view), key=lambda finding: not finding.warning), *seeds_note(plan.config)),
            tables=by_name(*self.tables(view)),
            figures=figures,
            main_figure=next(iter(figures), ""),
            provenance=provenance_of(plan, results),
            records=check_columns(view.records().assign(study=self.name)),
        )


def study_names() -> list[str]:
    """Every study that can be run: those of Isogloss, then those of plugins."""
    return [*STUDIES, *parts("STUDIES")]


def get_study(name: str) -> Study[Any, Any]:
    """The study of that name."""
    if name in STUDIES:
        study: Study[Any, Any] = import_module(STUDIES[name]).STUDY
        return study
    own = parts("STUDIES")
    if name not in own:
        raise unknown_name("study", name, [*STUDIES, *own])
    found: Study[Any, Any] = own[name]
    return found


def default_store() -> Store:
    """The store that all studies of this user share."""
    return Store(home() / "store")


def describe_failures(outcome: Outcome) -> str:
    """Which cells failed and why, and how many could not start because of them."""
    number = len(outcome.failures)
    lines = [f"{number} cell{'s' if number > 1 else ''} failed:"]
    lines += [f"- {failure.label}: {failure.message}" for failure in outcome.failures.values()]
    if outcome.skipped:
        lines.append(f"{len(outcome.skipped)} more cells depend on these and were not started")
    return "\n".join(lines)
