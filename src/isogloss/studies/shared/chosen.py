"""What a part of a name such as ``runs/emerge@no-anchors/near/1`` chooses from the settings of a run."""

from collections.abc import Mapping
from typing import TypeVar

from isogloss.errors import unknown_name

Chosen = TypeVar("Chosen")


def named(kind: str, name: str, known: Mapping[str, Chosen], where: str) -> Chosen:
    """The one called ``name``, or the first where nothing is named; ``kind`` says what is chosen, for the error."""
    if name and name not in known:
        raise unknown_name(kind, name, known, where=where)
    return known[name] if name else next(iter(known.values()))
