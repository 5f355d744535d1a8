"""What a study of a paper's size needs: data, cells and hours."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from isogloss.corpora.catalog import entry_of, is_here
from isogloss.corpora.labdata import is_lab
from isogloss.errors import IsoglossError
from isogloss.runs.records import records_in
from isogloss.studies.expectations.items import Item
from isogloss.studies.expectations.work import cells_of, work_of
from isogloss.studies.study import get_study

# Settings that name data: the data itself, and mappings to or from it.
DATA = ("data", "validation_data", "test_data", "text", "target_text", "other_text", "texts", "dictionary", "parallel")
MORE_DATA = ("cka_parallel", "test_parallel", "alignments", "paraphrases", "typology")
BY_LANGUAGE, BY_DATA = ("data_by_source", "test_data_by_target", "vectors"), ("elsewhere",)


@dataclass(frozen=True)
class Needs:
    """``data``: name -> whether it is here. ``cells``: kind -> count, as planned here, or as known where ``problem``
    keeps them from being planned."""

    data: dict[str, bool]
    cells: dict[str, int]
    problem: str = ""


def needs_of(study: str, item: Item | None = None) -> Needs:
    """What the ``paper`` preset of a study needs on this machine, with the settings of a table or figure."""
    known = get_study(study)
    assert known.configure is not None  # every study of a paper has presets
    config = known.configure(preset="paper", **(item.given if item else {}))
    work = work_of(study, item.options if item else "")
    data = {name: _present(name) for name in dict.fromkeys(_data_names(config))}
    if missing := [name for name, here in data.items() if not here]:
        return Needs(data, cells_of(work), f"there is no {missing[0]}")
    try:
        cells = known.prepare(config).all_cells
    except IsoglossError as error:
        return Needs(data, cells_of(work), str(error).splitlines()[0])
    return Needs(data, dict(Counter(cell.name for cell in cells)))


def _data_names(config: Any) -> Iterator[str]:
    """All names of data in settings, in order."""
    for record in records_in(config, lambda _: True):
        for field in fields(record):
            held = getattr(record, field.name)
            if isinstance(held, str) and held and field.name in (*DATA, *MORE_DATA):
                yield held
            elif isinstance(held, dict) and field.name in (*DATA, *BY_LANGUAGE, *BY_DATA):
                yield from held if field.name in BY_DATA else held.values()


def _present(name: str) -> bool:
    return is_lab(name) or (is_here(name) if entry_of(name) else Path(name).expanduser().exists())
