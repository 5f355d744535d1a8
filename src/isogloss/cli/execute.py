"""What every study command does: print its file or run its plan, write the report, show the findings."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from isogloss.bounds import check_settings
from isogloss.console import Console, escape
from isogloss.runs import Cell, Outcome, Store, make_engine
from isogloss.runs.config import dump
from isogloss.studies.study import Study, default_store, describe_failures


def execute(
    study: Study[Any, Any],
    config: Any,
    out: Path,
    *,
    engine: str = "local",
    workers: int = 0,
    address: str = "",
    as_json: bool = False,
    print_config: bool = False,
    resume: bool = True,
) -> None:
    """Run ``study`` with ``config`` into the folder ``out``."""
    check_settings(config, f"isogloss {study.name}")
    if print_config:
        sys.stdout.write(dump(study.name, config))
        return
    from isogloss.files import make_folder, write_whole
    from isogloss.report import print_json, show_in_terminal, write_page

    make_folder(out)  # an unwritable folder is said before hours of work, not after
    store = default_store()
    plan = study.plan(config)
    if not resume:
        forget(plan.all_cells, store)
    write_whole(out / "study.yaml", dump(study.name, config))
    result, outcome = study.attempt(plan, make_engine(engine, workers, address), store)
    if result is None:
        complain(outcome)
        raise typer.Exit(outcome.exit_code)
    write_page(result, out)
    if as_json:
        print_json(result, out)
    else:
        show_in_terminal(result, out)


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
