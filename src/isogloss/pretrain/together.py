"""The engine of ``torchrun``: all processes compute a cell together, and the first one keeps its result."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from isogloss.pretrain.processes import Processes
from isogloss.runs import Cell, Engine, Outcome, Plan, Store
from isogloss.runs.engine import note_end
from isogloss.runs.plan import Memory
from isogloss.runs.resources import resources_of
from isogloss.runs.view import RunView
from isogloss.runs.work import Job, StoreBench, do_job


class Together(Engine):
    """Cells one after the other, each by all processes; only for cells that divide their work (pretrainings)."""

    def __init__(self, processes: Processes) -> None:
        self.processes = processes

    def run(
        self,
        title: str,
        cells: Sequence[Cell[Any]],
        store: Store,
        memory: Memory = lambda cell, gpus: 0,
        expected: Mapping[str, float] | None = None,
    ) -> Outcome:
        if self.processes.leads:
            return super().run(title, cells, store, memory, expected)
        plan = Plan(cells)
        for cell, missing in zip(plan.cells.values(), self.processes.follow([False] * len(plan)), strict=True):
            if missing:
                cell.run(StoreBench(store, cell))
        return Outcome()

    def _run_missing(self, plan: Plan, store: Store, view: RunView, outcome: Outcome) -> None:
        missing = set(plan.open_cells)
        for key in missing:  # none is dropped when another fails: the other processes would wait for it
            plan.finish(key)
        self.processes.follow([key in missing for key in plan.cells])
        for key in (key for key in plan.cells if key in missing):  # in the order in which all others go through them
            cell = plan.cells[key]
            view.started(key, cell.label())
            threads = resources_of(cell).threads or torch.get_num_threads()  # torchrun's, not all cores for each
            note_end(key, do_job(Job(cell, threads, view.title), store), plan, view, outcome)
