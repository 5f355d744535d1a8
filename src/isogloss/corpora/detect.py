"""What a file or folder holds, judged by names first and by a look inside where names do not tell."""

import re
from pathlib import Path

from isogloss.corpora.catalog import (
    ALIGNMENTS,
    CATALOG,
    DICTIONARY,
    PAIRS,
    PARALLEL,
    TAGGED,
    TEXT,
    TREES,
    TYPOLOGY,
    VECTORS,
    Place,
)
from isogloss.corpora.dictionaries import PAIR as DICTIONARY_NAME
from isogloss.corpora.lines import COMPRESSED, count_lines, read_lines
from isogloss.corpora.parallel import read_layout
from isogloss.errors import IsoglossError

BIO = re.compile(r"(?:^|.*[\t ])(?:O|[BI]-[A-Za-z]+)$")
LOOK = 30  # lines


def kind_of(place: Place, among: tuple[str, ...] = ()) -> str:
    """The kind of data at a place: the catalog's word for it, otherwise what the files look like."""
    kinds = place.entry.kinds if place.entry else (detect(place.folder),)
    return next((kind for kind in kinds if not among or kind in among), kinds[0])


def detect(path: Path) -> str:
    """One of the catalog's kinds, for a file or folder that nobody named."""
    if path.is_file():
        return _of_file(path)
    _refuse_collection(path)
    files = sorted(inner for inner in path.rglob("*") if inner.is_file() and not inner.name.startswith("."))
    endings = {_ending(inner) for inner in files}
    if (path / "values.csv").is_file() or (path / "cldf" / "values.csv").is_file():
        return TYPOLOGY
    for ending, kind in ((".conllu", TREES), (".gold", ALIGNMENTS), (".vec", VECTORS), (".jsonl", PAIRS)):
        if ending in endings:
            return kind
    if not files:
        raise IsoglossError("the folder is empty", where=path, remedy="name the folder that holds the data")
    layout = read_layout(path)
    if layout.pairs:
        return PARALLEL
    tables = [inner for inner in files if _ending(inner) in {".tsv", ".bio", ".conll"}]
    if not tables and layout.rows:
        rows = next(iter(layout.rows.values()))
        return PARALLEL if len(rows) > 1 and len({count_lines(file) for file in rows.values()}) == 1 else TEXT
    return _of_file((tables or files)[0])


def _refuse_collection(path: Path) -> None:
    """A folder that holds several sets of the catalog is not itself one."""
    known = {folder.partition("/")[0] for entry in CATALOG.values() for folder in entry.folders}
    sets = sorted(inner.name for inner in path.iterdir() if inner.is_dir() and inner.name in known)
    if len(sets) > 1:
        raise IsoglossError(
            f"a folder of data sets: {', '.join(sets)}",
            where=path,
            remedy="name one of them, or set ISOGLOSS_DATA to this folder and use their names",
        )


def _ending(path: Path) -> str:
    return (path.with_suffix("") if path.suffix in COMPRESSED else path).suffix


def _of_file(path: Path) -> str:
    by_name = {".conllu": TREES, ".gold": ALIGNMENTS, ".vec": VECTORS, ".jsonl": PAIRS}
    if kind := by_name.get(_ending(path)):
        return kind
    lines = [text for (_, text), _ in zip(read_lines(path), range(LOOK), strict=False)]
    full = [text for text in lines if text.strip()]
    if full and all(BIO.fullmatch(text) or text.startswith("-DOCSTART-") for text in full):
        return TAGGED
    columns = {text.count("\t") + 1 for text in full}
    if columns == {3} or "sentence1\t" in full[0] or "premise\t" in full[0]:
        return PAIRS
    named = DICTIONARY_NAME.search("/".join(path.parts[-2:]))
    if columns == {2} or (named and all(len(text.split()) in {2, 3} for text in full)):
        return DICTIONARY
    return TEXT
