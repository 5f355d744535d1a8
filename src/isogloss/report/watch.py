"""Follow a run while it is under way: a page of its cells that refreshes by itself, then the report."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from isogloss.errors import IsoglossError
from isogloss.files import write_whole
from isogloss.report.page import draw_page, render
from isogloss.runs import Cell, Plan, Store
from isogloss.runs.config import build, read_study_files
from isogloss.studies.result import Result
from isogloss.studies.study import default_store, get_study

REFRESH = 5  # seconds


@dataclass(frozen=True)
class CellState:
    """One cell of a run as the page shows it; ``state`` is done, failed, blocked (by a failure) or open."""

    label: str
    state: str
    seconds: float = 0.0
    message: str = ""


def is_going_on(folder: Path) -> bool:
    """Whether the run in ``folder`` was started (or started again) and has not ended."""
    begun, ended = folder / "study.yaml", folder / "result.json"
    if not begun.exists():
        return False
    return not ended.exists() or ended.stat().st_mtime < begun.stat().st_mtime


def watch_run(
    folder: Path, say: Callable[[str], object], *, every: float = REFRESH, store: Store | None = None
) -> Path:
    """Refresh ``folder/index.html`` until the run ends; then draw its report and return the page's path.

    A run whose cells cannot continue because others failed has ended too, with an error that says so.
    """
    if not is_going_on(folder) and not (folder / "result.json").exists():
        raise IsoglossError(
            "no run is under way here (there is no study.yaml)", where=folder,
            remedy="start a study with --out pointing here, then watch it",
        )  # fmt: skip
    store = store or default_store()
    said = ""
    while is_going_on(folder):
        states = cell_states(folder, store)
        write_whole(folder / "index.html", progress_html(folder.name, states, refresh=round(max(every, 1))))
        done, failed = (sum(state.state == kind for state in states) for kind in ("done", "failed"))
        line = f"{folder}: {done} of {len(states)} cells are done"
        if line != said:
            said = line
            say(line)
        if failed and all(state.state in ("done", "failed", "blocked") for state in states):
            raise IsoglossError(
                f"the run has ended without a result: {failed} of its cells failed", where=folder,
                remedy="the page lists them; start the study again; only those are computed",
            )  # fmt: skip
        time.sleep(every)
    return draw_page(Result.load(folder), folder)


def cell_states(folder: Path, store: Store) -> list[CellState]:
    """The state of every cell of the run's studies, as its store knows it; failures of earlier starts do not count."""
    begun = (folder / "study.yaml").stat().st_mtime
    states: list[CellState] = []
    for file in read_study_files(folder / "study.yaml"):
        study = get_study(file.study)
        plan = Plan(study.plan(build(study.config, file.settings, file.lines, file.path)).cells)
        found = {key: _state(cell, store, begun) for key, cell in plan.cells.items()}
        for key, state in found.items():
            if state.state == "failed":
                for blocked in plan.drop_dependents(key):
                    found[blocked] = CellState(found[blocked].label, "blocked")
        states += found.values()
    return states


def progress_html(study: str, states: list[CellState], *, refresh: int) -> str:
    """The page of a run that is under way; failures first, unfinished cells last."""
    order = {"failed": 0, "blocked": 1, "done": 2, "open": 3}
    return render(
        "progress.html",
        title=f"{study}: {sum(state.state == 'done' for state in states)} of {len(states)}",
        payloads={},
        refresh=refresh,
        study=study,
        when=datetime.now().astimezone().strftime("%Y-%m-%d %H:%M:%S"),
        cells=sorted(states, key=lambda state: order[state.state]),
        done=sum(state.state == "done" for state in states),
        failed=sum(state.state == "failed" for state in states),
    )


def _state(cell: Cell[Any], store: Store, begun: float) -> CellState:
    if store.has(cell):
        return CellState(cell.label(), "done", store.seconds(cell))
    failure = store.failure(cell)
    if failure is not None and store.result_path(cell).with_suffix(".error.json").stat().st_mtime >= begun:
        return CellState(cell.label(), "failed", message=failure.message)
    return CellState(cell.label(), "open")
