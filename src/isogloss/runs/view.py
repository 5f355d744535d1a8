"""The one live view of a run: cells done and running, time left, the last result."""

import sys
import time
from dataclasses import dataclass
from statistics import median
from typing import Self, TextIO

from rich.console import Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from isogloss.console import Console
from isogloss.progress import LOG_EVERY, clock
from isogloss.runs.store import Failure


@dataclass
class Running:
    """A cell under way and how far it says it is."""

    label: str
    started: float
    stage: str = ""
    done: float = 0.0
    total: float | None = None
    text: str = ""

    @property
    def share(self) -> float:
        return min(1.0, self.done / self.total) if self.total else 0.0


class View:
    """Shows a run on standard error: live on a terminal, a line an event in a log."""

    def __init__(self, title: str, total: int, found: int, stream: TextIO | None = None) -> None:
        self.title, self.total, self.found = title, total, found
        self.finished, self.failed, self.last = 0, 0, ""
        self.running: dict[str, Running] = {}
        self.spent: list[float] = []
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
        self.running[key] = Running(label, time.monotonic())

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
        self.say(f"{cell.label}: its worker was lost ({why}); it is tried again")

    def ended(self, key: str, failure: Failure | None) -> None:
        cell = self.running.pop(key)
        seconds = time.monotonic() - cell.started
        self.finished += 1
        self.failed += failure is not None
        self.spent.append(seconds)
        outcome = f"failed: {failure.message.splitlines()[0]}" if failure else f"done in {clock(seconds)}"
        self.last = f"{cell.label}: {outcome}"
        self._log(self.last)

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
        """From the running cells' own progress, and for the others the median of finished ones; None at first."""
        now = time.monotonic()
        own = {
            key: (now - cell.started) * (1 / cell.share - 1) for key, cell in self.running.items() if cell.share > 0.05
        }
        whole = self.spent or [now - self.running[key].started + left for key, left in own.items()]
        if not whole:
            return None
        typical = median(whole)  # one long pretraining says little about a hundred short cells
        running = [own.get(key, max(0.0, typical - (now - cell.started))) for key, cell in self.running.items()]
        waiting = self.total - self.found - self.finished - len(self.running)
        return max(running, default=0.0) + typical * waiting / max(1, len(self.running))

    def _log(self, line: str) -> None:
        if self._live is None:
            self._logged = time.monotonic()
            print(f"{self.headline()} | {line}", file=self._stream, flush=True)

    def _render(self) -> Group:
        rows = Table.grid(padding=(0, 1))
        for cell in self.running.values():
            pulse = cell.total is None
            bar = ProgressBar(total=1.0, completed=cell.share, width=24, pulse=pulse)
            rows.add_row(" ", Text(cell.label), bar, Text(f"{cell.stage} {cell.text}", style="dim"))
        return Group(
            Text(self.headline(), style="bold"),
            rows,
            Text(f"last: {self.last}" if self.last else "", style="dim"),
        )
