"""Progress with time left, on standard error: a live bar on a terminal, a line now and then in a log."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from typing import ClassVar, Self, TextIO, TypeVar

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from isogloss.console import Console

Item = TypeVar("Item")
Listener = Callable[[str, float, float | None, str], None]  # label, done, total, note
PATIENCE = 2.0  # seconds before anything is shown: quick work needs no bar
TELL_EVERY = 0.2  # seconds between two messages to a listener
LOG_EVERY = 15.0  # seconds between lines where standard error is not a terminal


class Task:
    """Progress of one piece of work; a context manager. ``total`` may be unknown (None).

    ``listener`` replaces the display: the engine's workers use it to send progress to the parent's view. A task
    within another one is silent, since only the outer one knows how much is left.
    """

    listener: ClassVar[Listener | None] = None
    running: ClassVar[list["Task"]] = []

    def __init__(self, label: str, total: float | None = None, stream: TextIO | None = None) -> None:
        self.label, self.total, self.done, self.text = label, total, 0.0, ""
        self.found = 0.0
        self._stream = stream or sys.stderr
        self._started = time.monotonic()
        self._logged = self._started
        self._bar: Progress | None = None

    def __enter__(self) -> Self:
        Task.running.append(self)
        return self

    def __exit__(self, *exception: object) -> None:
        Task.running.remove(self)
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def skip(self, amount: float) -> None:
        """Count what an earlier sitting did: it is done, but says nothing of the time that the rest takes."""
        self.found += amount
        self.done += amount

    def advance(self, amount: float = 1.0, text: str | None = None) -> None:
        """Move on by ``amount``; ``text`` replaces the short note beside the bar."""
        self.done += amount
        self.text = self.text if text is None else text
        if self not in Task.running[:1]:
            return
        if Task.listener is not None:
            self._tell(Task.listener)
        elif time.monotonic() - self._started >= PATIENCE:
            self._show()

    def _tell(self, listener: Listener) -> None:
        """Pass the progress on, a few times a second at most."""
        if time.monotonic() - self._logged >= TELL_EVERY or self.done == self.total:
            self._logged = time.monotonic()
            listener(self.label, self.done, self.total, self.text)

    def _show(self) -> None:
        if self._stream.isatty():
            self._show_bar()
        elif time.monotonic() - self._logged >= LOG_EVERY:
            self._logged = time.monotonic()
            print(self.line(), file=self._stream, flush=True)

    def _show_bar(self) -> None:
        if self._bar is None:
            self._bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
                TextColumn("{task.fields[note]}", markup=False),
                console=Console(file=self._stream),
                transient=True,
            )
            self._bar.start()
            self._bar.add_task(self.label, total=self.total, completed=self.found, note="")  # type: ignore[arg-type]
        self._bar.update(self._bar.task_ids[0], completed=self.done, note=self.text)

    def line(self) -> str:
        """The state in one line, for logs."""
        spent = time.monotonic() - self._started
        if self.total and self.done > self.found:
            left = spent * (self.total - self.done) / (self.done - self.found)
            return f"{self.label}: {self.done:,.0f}/{self.total:,.0f}, {clock(left)} left {self.text}".rstrip()
        return f"{self.label}: {self.done:,.0f} in {clock(spent)} {self.text}".rstrip()


def say(line: str) -> None:
    """A line on standard error that stays: something that whoever reads the numbers should know."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def track(items: Iterable[Item], label: str, total: int | None = None) -> Iterator[Item]:
    """Iterate over ``items`` with progress shown."""
    if total is None and isinstance(items, Sized):
        total = len(items)
    with Task(label, total) as task:
        for item in items:
            yield item
            task.advance()


def clock(seconds: float) -> str:
    """``75 -> '1:15'``, ``3700 -> '1:01:40'``."""
    whole = max(0, round(seconds))
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02d}:{left:02d}" if hours else f"{minutes}:{left:02d}"
