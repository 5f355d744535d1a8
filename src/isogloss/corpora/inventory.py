"""Which data sets of the catalog are on this machine, where, how large, and in which languages."""

from dataclasses import dataclass
from pathlib import Path

from isogloss.corpora.catalog import (
    ALIGNMENTS,
    CATALOG,
    DICTIONARY,
    LAB,
    PAIRS,
    PARALLEL,
    TAGGED,
    TEXT,
    TREES,
    TYPOLOGY,
    VECTORS,
    Entry,
    Place,
    find,
)
from isogloss.corpora.download_sources import command_to_get
from isogloss.errors import IsoglossError


@dataclass(frozen=True, slots=True)
class Holding:
    """A data set and what is there of it; ``folder`` is None where nothing is."""

    name: str
    kinds: tuple[str, ...]
    about: str
    licence: str
    offered: str
    folder: Path | None = None
    size: int = 0
    languages: tuple[str, ...] = ()
    problem: str = ""
    command: str = ""
    built_in: bool = False


THE_LAB = Holding(
    name=LAB,
    kinds=(TREES, TAGGED, PAIRS, PARALLEL, TEXT),
    about="constructed languages with known answers (lab:twins, lab:families, ...)",
    licence="Apache-2.0",
    offered="2 to 6, or more",
    built_in=True,
)


def inventory() -> list[Holding]:
    """Every data set of the catalog, and the lab, which is always there."""
    return [THE_LAB, *(_holding(entry) for entry in CATALOG.values())]


def _holding(entry: Entry) -> Holding:
    folder = find(entry)
    codes: tuple[str, ...] = ()
    problem, size = "", 0
    if folder is not None:
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        try:
            codes = languages_of(Place(entry.name, folder, entry))
        except IsoglossError as error:
            problem = str(error)
    return Holding(
        name=entry.name,
        kinds=entry.kinds,
        about=entry.about,
        licence=entry.licence,
        offered=entry.languages,
        folder=folder,
        size=size,
        languages=codes,
        problem=problem,
        command=command_to_get(entry.name),
    )


def languages_of(place: Place) -> tuple[str, ...]:
    """The languages of a set, from its files' names alone."""
    from isogloss.corpora.alignments import alignment_files
    from isogloss.corpora.dictionaries import dictionary_files
    from isogloss.corpora.load import OPENERS
    from isogloss.corpora.parallel import read_layout

    kind = place.entry.kinds[0] if place.entry else ""
    if kind == PARALLEL:
        layout = read_layout(place.folder)
        codes = [code for files in layout.rows.values() for code in files]
        codes += [code for pair in layout.pairs for code in pair]
    elif kind == DICTIONARY:
        codes = [code for source, target, _ in dictionary_files(place.folder) for code in (source, target)]
    elif kind == ALIGNMENTS:
        codes = [code for pair in alignment_files(place.folder) for code in pair]
    elif kind in {VECTORS, TYPOLOGY}:
        codes = []
    else:
        streams, _ = OPENERS[kind](place, None, "skip")
        codes = [stream.language for stream in streams]
    return tuple(sorted(set(codes)))
