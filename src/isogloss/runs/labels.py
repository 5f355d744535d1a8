"""What cells are called on the screen: two different cells never have the same label."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from isogloss.runs.cells import Cell

MOST_SAID = 2  # settings that are named to tell cells apart


def distinct_labels(cells: Mapping[str, Cell[Any]]) -> dict[str, str]:
    """The label of each cell by key; where some would share one, it says in which settings they differ."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for key, cell in cells.items():
        groups[cell.label()].append(key)
    found: dict[str, str] = {}
    for label, keys in groups.items():
        found |= {keys[0]: label} if len(keys) == 1 else _told_apart(label, {key: cells[key] for key in keys})
    return found


def _told_apart(label: str, cells: Mapping[str, Cell[Any]]) -> dict[str, str]:
    settings = {key: dict(_settings(cell, "")) for key, cell in cells.items()}
    names = dict.fromkeys(name for found in settings.values() for name in found if not name.endswith("revision"))
    by_use = sorted(names, key=lambda name: (-len({found.get(name) for found in settings.values()}), len(name)))
    said: dict[str, tuple[str, ...]] = dict.fromkeys(cells, ())
    for name in by_use:
        word = name.rpartition(".")[2]
        more = {key: (*said[key], f"{word} {found.get(name, 'none')}") for key, found in settings.items()}
        if len(said[next(iter(said))]) < MOST_SAID and len(set(more.values())) > len(set(said.values())):
            said = more
    unique = len(set(said.values())) == len(said)
    return {
        key: f"{label} ({', '.join(parts)})" if unique else f"{label} ({', '.join((*parts, f'#{key[:6]}'))})"
        for key, parts in said.items()
    }


def _settings(value: Any, name: str) -> Iterator[tuple[str, str]]:
    """Every setting below a cell as text under its dotted name, those of cells that it reads too."""
    if is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _settings(getattr(value, field.name), f"{name}.{field.name}" if name else field.name)
    elif isinstance(value, list | tuple) and any(is_dataclass(part) for part in value):
        for place, part in enumerate(value):
            yield from _settings(part, f"{name}.{place}")
    else:
        yield name, "+".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
