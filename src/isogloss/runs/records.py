"""The records inside a record: what a cell, a condition or a plan is made of."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any


def records_in(value: Any, enter: Callable[[Any], bool]) -> Iterator[Any]:
    """Every record (dataclass) in ``value``, itself included, through lists, tuples and the values of mappings.

    What is inside a record follows it, where ``enter`` says so.
    """
    if is_dataclass(value) and not isinstance(value, type):
        yield value
        parts: Any = [getattr(value, field.name) for field in fields(value)] if enter(value) else ()
    elif isinstance(value, list | tuple):
        parts = value
    else:
        parts = value.values() if isinstance(value, Mapping) else ()
    for part in parts:
        yield from records_in(part, enter)
