"""Tables in memory as data of studies: written once, under a name that says their content."""

import hashlib
from typing import Any

from isogloss import places
from isogloss.corpora.catalog import PAIRS, PARALLEL, TAGGED, TEXT
from isogloss.corpora.own_text import LANGUAGE, as_frame
from isogloss.corpora.pairs import FIRST, LABEL, SECOND
from isogloss.corpora.records import Pair, TaggedSentence
from isogloss.corpora.table_rows import frame_rows
from isogloss.corpora.write import write_bio, write_pairs
from isogloss.errors import IsoglossError
from isogloss.files import make_folder, whole_file
from isogloss.languages import language

NEEDED = {
    PAIRS: {"premise": FIRST, "hypothesis": SECOND, "label": LABEL, "language": LANGUAGE},
    TAGGED: {"words": ("words", "tokens"), "tags": ("tags", "ner_tags", "upos"), "language": LANGUAGE},
}


def keep_frame(data: Any, kind: str = PARALLEL) -> str:
    """Write a DataFrame or dataset where every loader and every study can read it, and return that path.

    ``kind``: ``parallel`` or ``text`` (a column per language, or ``language`` and ``text``), ``pairs`` (``premise``,
    ``hypothesis``, ``label``, ``language``), ``tagged`` (``words``, ``tags``, ``language``).
    """
    import pandas as pd

    frame = as_frame(data)
    content = pd.util.hash_pandas_object(frame.astype(str), index=False).to_numpy().tobytes()
    name = hashlib.sha256(content + "\0".join(map(str, (kind, *frame.columns))).encode()).hexdigest()[:16]
    folder = make_folder(places.home() / "tables")
    if kind in {PARALLEL, TEXT}:
        path = folder / f"{name}.parquet"
        with whole_file(path) as part:
            frame.to_parquet(part, index=False)
        return str(path)
    target = make_folder(folder / name)
    for code, records in _by_language(frame, kind).items():
        path = target / f"train-{code}.tsv"
        if kind == PAIRS:
            write_pairs(path, records)
        else:
            write_bio(path, records)
    return str(target)


def kind_of(data: Any) -> str:
    """What the columns of a DataFrame or dataset say that it holds: pairs, tagged sentences, or else parallel text."""
    columns = {str(column).lower() for column in as_frame(data).columns}
    for kind, needed in NEEDED.items():
        if all(columns.intersection(names) for names in needed.values()):
            return kind
    return PARALLEL


def _by_language(frame: Any, kind: str) -> dict[str, list[Any]]:
    if kind not in NEEDED:
        raise IsoglossError(f"a table cannot be read as {kind}", remedy=f"{PARALLEL}, {TEXT}, {PAIRS} or {TAGGED}")
    columns = []
    for needed, names in NEEDED[kind].items():
        column = next((column for column in frame.columns if column in names), None)
        if column is None:
            raise IsoglossError(
                f"no column '{needed}' among {', '.join(map(str, frame.columns))}",
                where="DataFrame",
                remedy=f"{kind} need the columns {', '.join(NEEDED[kind])}",
            )
        columns.append(column)
    found: dict[str, list[Any]] = {}
    for where, row in frame_rows(frame, "DataFrame"):
        *cells, code = (row[str(column)] for column in columns)
        record = _pair(cells, where) if kind == PAIRS else _tagged(cells, where)
        found.setdefault(language(str(code)).code, []).append(record)
    return found


def _pair(cells: list[Any], where: str) -> Pair:
    if any(cell is None or not str(cell).strip() for cell in cells):
        raise IsoglossError("an empty cell", where=where, remedy="fill it, or delete the row")
    first, second, label = (" ".join(str(cell).split()) for cell in cells)
    return Pair(first, second, label, "")


def _tagged(cells: list[Any], where: str) -> TaggedSentence:
    words, tags = (tuple(map(str, cell)) if isinstance(cell, list | tuple) else _listed(cell) for cell in cells)
    if not words or len(words) != len(tags):
        raise IsoglossError(
            f"{len(words)} words and {len(tags)} tags",
            where=where,
            remedy="give two lists of the same length in each row",
        )
    return TaggedSentence(words, tags, "")


def _listed(cell: Any) -> tuple[str, ...]:
    """The values of an array; nothing for anything that is not a list."""
    return tuple(map(str, cell.tolist())) if hasattr(cell, "tolist") else ()
