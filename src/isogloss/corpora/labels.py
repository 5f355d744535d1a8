"""Labels that are not there: test sets come with placeholders, and scoring those is worse than no score."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

from isogloss.errors import IsoglossError

Record = TypeVar("Record")

PLACEHOLDERS = frozenset({"", "-1", "-", "_", "?", "None", "null", "hidden"})
ENOUGH = 20  # records; fewer with one label may be an honest little file


def refuse_hidden(
    records: Iterator[Record], labels_of: Callable[[Record], Iterable[str]], where: Path | str
) -> Iterator[Record]:
    """Pass ``records`` on once a second label was seen; all the same label, or only placeholders, is an error."""
    held: list[Record] = []
    seen: set[str] = set()
    for record in records:
        held.append(record)
        seen.update(labels_of(record))
        if len(seen) > 1:
            break
    else:
        if held and (seen <= PLACEHOLDERS or len(held) >= ENOUGH):
            raise IsoglossError(
                f"all {len(held)} labels are {next(iter(seen), '')!r}: they are hidden or placeholders",
                where=where,
                remedy="take a part whose labels are public (often dev), or get the labelled test set",
            )
    yield from held
    yield from records
