"""Screening for fine-tunings: the same records are checked once per process."""

from collections.abc import Sequence
from typing import Any

from isogloss.shelf import Shelf, is_plain
from isogloss.tasks import Labels, Task, screen
from isogloss.tasks.screening import OnError, Screened

_SCREENED: Shelf[Screened[Any]] = Shelf(size=lambda screened: len(screened.records))


def screen_once(
    task: Task[Any], records: Sequence[Any], labels: Labels | None, what: str, on_error: OnError
) -> Screened[Any]:
    """As ``tasks.screen``; what is refused is refused every time."""

    def check() -> Screened[Any]:
        return screen(task, records, labels, what=what, on_error=on_error)

    if not is_plain(task):
        return check()
    return _SCREENED.take((task, labels, on_error, tuple(records)), check)
