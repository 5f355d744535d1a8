"""Records that cannot be used: an error that names the first, or, on request, left out and counted."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from isogloss.errors import IsoglossError, unknown_name
from isogloss.tasks.labels import Labels
from isogloss.tasks.task import Task

Record = TypeVar("Record")
OnError = Literal["raise", "skip"]
ENOUGH = 50  # so many labels that are all the same are no chance


class RecordError(IsoglossError):
    """A record that cannot be used; ``record`` is that record, for those who can tell its place in a file."""

    record: Any = None


@dataclass(frozen=True)
class Screened(Generic[Record]):
    """The records that can be used, and why the others cannot."""

    records: list[Record]
    skipped: Counter[str] = field(default_factory=Counter)


def screen(
    task: Task[Record], records: Iterable[Any], labels: Labels | None = None, *, what: str, on_error: OnError = "raise"
) -> Screened[Record]:
    """Check every record of a part of a language (``what`` names it); ``labels`` are those of the training part."""
    if on_error not in ("raise", "skip"):
        raise unknown_name("way with errors", on_error, ["raise", "skip"])
    screened: Screened[Record] = Screened([])
    for number, given in enumerate(records, start=1):
        record = task.accept(given)
        problem = task.problem(record, labels)
        if problem is None:
            screened.records.append(record)
        elif on_error == "skip":
            screened.skipped[problem] += 1
        else:
            where = f"{what}, {getattr(record, 'id', '') or f'record {number}'}"
            error = RecordError(problem, where=where, remedy="fix it, or leave such records out: --on-error skip")
            error.record = given
            raise error
    _check_variety(task, screened.records, what)
    return screened


def _check_variety(task: Task[Record], records: list[Record], what: str) -> None:
    """Refuse a part without records, or whose labels are all the same: hidden ones often are."""
    if not records:
        remedy = "name other data, or leave this language out"
        raise IsoglossError("there is no data that could be used", where=what, remedy=remedy)
    seen = Counter(label for record in records for label in task.labels_of(record))
    if len(seen) == 1 and seen.total() >= ENOUGH:
        raise IsoglossError(
            f"all {seen.total():,} labels are '{next(iter(seen))}'",
            where=what,
            remedy="these look like placeholders of a hidden test part: use another part",
        )
