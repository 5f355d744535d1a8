"""The one live view of a run: cells done and running, time left, the last result."""

import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple, Self, TextIO

from rich.console import Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from isogloss.console import Console
from isogloss.progress import LOG_EVERY, clock
from isogloss.runs.durations import Durations
from isogloss.runs.store import Failure

TOLD = 0.05  # share done from which a cell's own progress is believed


class Expected(NamedTuple):
    """What is known of a cell before it runs: its kind, and how many like it run side by side (0: as many as now)."""

    kind: str
    side_by_side: int = 0


@dataclass
class Running:
    """A cell under way and how far it says it is."""

    label: str
    started: float
    expected: Expected
    stage: str = ""
    done: float = 0.0
    total: float | None = None
    text: str = ""

    @property
    def share(self) -> float:
        return min(1.0, self.done / self.total) if self.total else 0.0


class RunView:
    """Shows a run on standard error: live on a terminal, a line an event in a log."""

    def __init__(
        self,
        title: str,
        waiting: Mapping[str, Expected],
        found: int = 0,
        durations: Durations | None = None,
        stream: TextIO | None = None,
    ) -> None:
        self.title, self.total, self.found = title, found + len(waiting), found
        self.waiting = dict(waiting)  # by key: cells that did not start yet
        self.durations = durations or Durations()
        self.finished, self.failed, self.last = 0, 0, ""
        self.running: dict[str, Running] = {}
        self._started = self._logged = time.monotonic()
        self._stream = stream or sys.stderr
        self._live: Live | None = None

    def __enter__(self) -> Self:
        if self._stream.isatty() and self.found < self.total:
            console = Console(file=self._stream)
            self._live = Live(get_renderable=self._render, console=console, refresh_per_second=4, transient=True)
            self._live.start()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._live is not None:
            self._live.stop()

    def started(self, key: str, label: str) -> None:
        self.running[key] = Running(label, time.monotonic(), self.waiting.pop(key))

    def moved(self, key: str | None, stage: str, done: float, total: float | None, text: str) -> None:
        """A running cell's own progress."""
        if key in self.running:
            cell = self.running[key]
            cell.stage, cell.done, cell.total, cell.text = stage, done, total, text
            if time.monotonic() - self._logged > LOG_EVERY:
                self._log(f"{cell.label}: {stage} {cell.share:.0%} {text}")

    def lost(self, key: str, why: str) -> None:
        """A running cell's worker is gone; the cell will be tried again."""
        cell = self.running.pop(key)
        self.waiting[key] = cell.expected
        self.say(f"{cell.label}: its worker was lost ({why}); it is tried again")

    def ended(self, key: str, failure: Failure | None) -> None:
        cell = self.running.pop(key)
        seconds = time.monotonic() - cell.started
        self.finished += 1
        self.failed += failure is not None
        if failure is None:  # how soon a cell fails says nothing of the others
            self.durations.note(cell.expected.kind, seconds)
        outcome = f"failed: {failure.message.splitlines()[0]}" if failure else f"done in {clock(seconds)}"
        self.last = f"{cell.label}: {outcome}"
        self._log(self.last)

    def skipped(self, key: str) -> None:
        """A cell will not run: one that it needs has failed."""
        self.waiting.pop(key, None)

    def say(self, line: str) -> None:
        """A line that stays on the screen: something that a reader of the results should know."""
        if self._live is not None:
            self._live.console.print(line, highlight=False, markup=False, soft_wrap=True)
        else:
            print(f"{self.title}: {line}", file=self._stream, flush=True)

    def headline(self) -> str:
        """``locate: 12/40 cells, 2 running, 3:20 left``"""
        parts = [f"{self.title}: {self.found + self.finished}/{self.total} cells"]
        parts += [f"{len(self.running)} running"] if self.running else []
        parts += [f"{self.failed} failed"] if self.failed else []
        left = self.seconds_left()
        parts += [f"{clock(left)} left"] if left is not None else [f"{clock(time.monotonic() - self._started)} so far"]
        return ", ".join(parts)

    def seconds_left(self) -> float | None:
        """From running cells' own progress, and for the others from what cells of their kind take; None at first."""
        now = time.monotonic()
        running, waiting = list(self.running.values()), Counter(list(self.waiting.values()))  # the screen has a thread
        wholes = [(now - cell.started) / cell.share for cell in running if cell.share > TOLD]
        otherwise = median(wholes) if wholes else None
        unsure = {cell.expected.kind for cell in running if cell.share <= TOLD} | {cell.kind for cell in waiting}
        known = {kind: self.durations.typical(kind, otherwise) for kind in unsure}
        typical = {kind: seconds for kind, seconds in known.items() if seconds is not None}
        if len(typical) < len(known):
            return None
        lanes = max(1, len(running))
        shared = sum(typical[cell.kind] / (cell.side_by_side or lanes) * count for cell, count in waiting.items())
        alone = max((typical[cell.kind] for cell in waiting), default=0.0)  # a cell is not divided among workers
        return max((_left(cell, now, typical) for cell in running), default=0.0) + max(shared, alone)

    def _log(self, line: str) -> None:
        if self._live is None:
            self._logged = time.monotonic()
            print(f"{self.headline()} | {line}", file=self._stream, flush=True)

    def _render(self) -> Group:
        rows = Table.grid(padding=(0, 1))
        for cell in list(self.running.values()):
            pulse = cell.total is None
            bar = ProgressBar(total=1.0, completed=cell.share, width=24, pulse=pulse)
            rows.add_row(" ", Text(cell.label), bar, Text(f"{cell.stage} {cell.text}", style="dim"))
        return Group(
            Text(self.headline(), style="bold"),
            rows,
            Text(f"last: {self.last}" if self.last else "", style="dim"),
        )


def _left(cell: Running, now: float, typical: Mapping[str, float]) -> float:
    """Seconds that a running cell still takes."""
    spent = now - cell.started
    if cell.share > TOLD:
        return spent * (1 / cell.share - 1)
    return max(0.0, typical[cell.expected.kind] - spent)
