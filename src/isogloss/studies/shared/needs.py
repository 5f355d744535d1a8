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
from isogloss.studies.expectations.work import cells_of, load_work
from isogloss.studies.shared.study_presets import load_study_preset
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


def needs_of(study: str) -> Needs:
    """What the ``paper`` preset of a study needs on this machine."""
    known = get_study(study)
    config = load_study_preset(study, "paper", known.config)
    data = {name: _present(name) for name in dict.fromkeys(_data_names(config))}
    if missing := [name for name, here in data.items() if not here]:
        return Needs(data, cells_of(load_work()[study]), f"there is no {missing[0]}")
    try:
        cells = known.prepare(config).all_cells
    except IsoglossError as error:
        return Needs(data, cells_of(load_work()[study]), str(error).splitlines()[0])
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
