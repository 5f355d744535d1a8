"""What every study command does: print its file or run its plan, write the report, show the findings."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from isogloss.bounds import check_settings
from isogloss.console import Console, escape
from isogloss.errors import IsoglossError
from isogloss.runs import Cell, Engine, Outcome, Store, make_engine
from isogloss.runs.config import dump
from isogloss.studies.plan import StudyPlan
from isogloss.studies.result import Result
from isogloss.studies.study import Study, default_store, describe_failures

if TYPE_CHECKING:
    from isogloss.pretrain.together import Together


def execute(
    study: Study[Any, Any], config: Any, out: Path, *, as_json: bool = False, **running: Any
) -> StudyPlan[Any, Any] | None:
    """Run ``study`` with ``config`` into the folder ``out``, and show its answer; the plan that was run, if one was."""
    done = perform(study, config, out, **running)
    if done is None:
        return None
    result, plan = done
    from isogloss.report import print_json, show_in_terminal

    if as_json:
        print_json(result, out)
    else:
        show_in_terminal(result, out)
    return plan


def perform(
    study: Study[Any, Any],
    config: Any,
    out: Path,
    *,
    engine: str = "local",
    workers: int = 0,
    address: str = "",
    print_config: bool = False,
    dry_run: bool = False,
    resume: bool = True,
) -> tuple[Result, StudyPlan[Any, Any]] | None:
    """Run ``study`` and write its page into ``out``; None where only its file or an estimate was asked for, or where
    another process of ``torchrun`` writes the page."""
    check_settings(config, f"isogloss {study.name}")
    if print_config:
        from isogloss.studies.shared.study_presets import annotated_dump

        sys.stdout.write(annotated_dump(study.name, config))
        return None
    if dry_run:
        look_ahead(study, config, make_engine(engine, workers, address))
        return None
    from isogloss.files import make_folder, write_whole
    from isogloss.report import write_page

    together = _together(study) if int(os.environ.get("WORLD_SIZE", "1")) > 1 else None
    chosen = together or make_engine(engine, workers, address)
    make_folder(out)  # an unwritable folder is said before hours of work, not after
    store = default_store()
    plan = study.plan(config)
    if together is not None and not together.processes.leads:
        together.run(study.name, plan.cells, store)
        return None
    if not resume:
        forget(plan.all_cells, store)
    write_whole(out / "study.yaml", dump(study.name, config))
    say_if_long(plan.cells, chosen, store)
    result, outcome = study.attempt(plan, chosen, store)
    if result is None:
        complain(outcome)
        raise typer.Exit(outcome.exit_code)
    write_page(result, out)
    return result, plan


def look_ahead(study: Study[Any, Any], config: Any, engine: Engine) -> None:
    """Print what a run would take, from what is on this machine alone: looking ahead downloads nothing."""
    from isogloss.cli.dry_run import described
    from isogloss.corpora.hub import NoAnswerError
    from isogloss.encoders.expected import offline
    from isogloss.studies.shared.downloads import named_downloads

    try:
        with offline():
            show_estimate(study.name, study.plan(config).cells, engine)
    except NoAnswerError:
        found = described(named_downloads(config))
        typer.echo(f"{study.name}: what there is to compute depends on data of the hub\ndownloads: {found}")


def show_estimate(title: str, cells: Sequence[Cell[Any]], engine: Engine) -> None:
    """Print what a run of these cells would take."""
    from isogloss.cli.dry_run import describe
    from isogloss.studies.shared.estimate import estimate_run

    typer.echo(describe(estimate_run(cells, engine, default_store()), title))


def say_if_long(cells: Sequence[Cell[Any]], engine: Engine, store: Store) -> None:
    """A run that will take over ten minutes, as this store knows its cells, says so first."""
    from isogloss.cli.dry_run import warn_of_long_run
    from isogloss.studies.shared.estimate import estimate_run

    warn_of_long_run(estimate_run(cells, engine, store))


def _together(study: Study[Any, Any]) -> "Together":
    """The engine of the processes that ``torchrun`` started."""
    from isogloss.pretrain.processes import Processes
    from isogloss.pretrain.together import Together

    if study.name != "pretrain":
        remedy = "start isogloss directly: its workers run cells in parallel, and --engine ray uses a cluster"
        raise IsoglossError(f"'{study.name}' cannot run in several torchrun processes", remedy=remedy)
    return Together(Processes.join())


def forget(cells: Sequence[Cell[Any]], store: Store) -> None:
    """Drop what is stored of these cells, so that they are computed again."""
    for cell in cells:
        store.forget(cell)


def complain(outcome: Outcome) -> None:
    """Say on standard error which cells failed and why; a bug's traceback too."""
    console = Console(stderr=True, highlight=False)
    console.print(f"[bold red]error[/] {escape(describe_failures(outcome))}", soft_wrap=True)
    for failure in outcome.failures.values():
        if failure.traceback:
            console.print(escape(failure.traceback), soft_wrap=True)
