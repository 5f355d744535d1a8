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
from isogloss.runs.durations import BRIEF, Durations
from isogloss.runs.store import Failure

TOLD, MOSTLY = 0.05, 0.5  # shares done from which a cell's own progress is believed: later on, and at its beginning
UNSURE = 0.25  # largest part of a time left that may be a guess


class Expected(NamedTuple):
    """What is known of a cell before it runs: its kind, and how many like it run side by side (0: as many as now)."""

    kind: str
    side_by_side: int = 0


class Left(NamedTuple):
    """Time left; not ``whole`` where cells whose length nobody knows yet are not in it."""

    seconds: float
    whole: bool


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
    first: bool = False  # of its process

    @property
    def share(self) -> float:
        return min(1.0, self.done / self.total) if self.total else 0.0

    def tells(self, now: float) -> bool:
        """Whether its own progress says how long it will take: not while it may still be opening libraries."""
        return self.share > (TOLD if now - self.started > BRIEF else MOSTLY)


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

    def started(self, key: str, label: str, *, first: bool = False) -> None:
        """A cell is under way, the ``first`` of its process or a later one."""
        self.running[key] = Running(label, time.monotonic(), self.waiting.pop(key), first=first)

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
            self.durations.note(cell.expected.kind, seconds, first=cell.first)
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
        parts += [self._time_left()]
        return ", ".join(parts)

    def _time_left(self) -> str:
        left = self.left()
        if left is None:
            return f"{clock(time.monotonic() - self._started)} so far"
        return f"{'' if left.whole else 'at least '}{clock(left.seconds)} left"

    def left(self) -> Left | None:
        """From running cells' own progress, and for the others from what cells of their kind take.

        Cells of a kind that nobody knows yet count as a guess while that is a small part, and otherwise not at all.
        None where nothing is known.
        """
        now = time.monotonic()
        running, waiting = list(self.running.values()), Counter(list(self.waiting.values()))  # the screen has a thread
        wholes: dict[str, list[float]] = {}
        for cell in running:
            if cell.tells(now):
                wholes.setdefault(cell.expected.kind, []).append((now - cell.started) / cell.share)
        under_way = {kind: median(seconds) for kind, seconds in wholes.items()}
        kinds = {cell.expected.kind for cell in running} | {cell.kind for cell in waiting}
        known = {kind: self.durations.typical(kind, under_way) for kind in kinds}
        typical = {kind: seconds for kind, seconds in known.items() if seconds is not None}
        lanes = max(1, len(running))
        turns = {cell: count / (cell.side_by_side or lanes) for cell, count in waiting.items()}
        shared = sum(typical[cell.kind] * count for cell, count in turns.items() if cell.kind in typical)
        alone = max((typical[cell.kind] for cell in waiting if cell.kind in typical), default=0.0)  # is not divided
        told = [cell for cell in running if cell.tells(now) or cell.expected.kind in typical]
        seconds = max((_left(cell, now, typical) for cell in told), default=0.0) + max(shared, alone)
        unknown = [(cell.expected.kind, 1.0) for cell in running if cell not in told]
        unknown += [(cell.kind, count) for cell, count in turns.items() if cell.kind not in typical]
        guessed = self._guess(unknown)
        if guessed is not None and guessed <= UNSURE * seconds:
            return Left(seconds + guessed, whole=True)
        return Left(seconds, whole=False) if typical or told else None

    def _guess(self, unknown: list[tuple[str, float]]) -> float | None:
        """Seconds of kinds that nobody knows, each as often as said; None where not even a guess is there."""
        guesses = [(self.durations.guess(kind), count) for kind, count in unknown]
        known = [guess * count for guess, count in guesses if guess is not None]
        return sum(known) if len(known) == len(guesses) else None

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
    if cell.tells(now):
        return spent * (1 / cell.share - 1)
    return max(0.0, typical[cell.expected.kind] - spent)
