"""Sentences of one's own: one table with a column per language, or a language and a text on each row."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from isogloss.corpora.corpus import by_language
from isogloss.corpora.parallel import BLANK, NOT_CODES, code_in, place, read_rows
from isogloss.corpora.records import ParallelText
from isogloss.corpora.table_rows import ENDINGS, Row, ending_of, frame_rows, read_table
from isogloss.errors import IsoglossError
from isogloss.languages import language, try_language

LANGUAGE, TEXT, ID = ("language", "lang", "locale"), ("text", "sentence"), ("id", "key", "sentence_id")
# names of columns that are also codes of some language, and mostly mean something else
OTHER_MEANINGS = {*NOT_CODES, "key", "url", "row", "num", "tag", "set", "doc", "seg", "idx", "pos", "ner", "sum"}
CHOICE = "a column for each language (de, en, ...), or the columns language and text"


@dataclass(frozen=True)
class OwnText:
    """Texts by language; ``parallel`` where row n says the same in every language."""

    texts: Mapping[str, tuple[str, ...]]
    parallel: bool
    name: str
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def revision(self) -> str:
        """A hash of the texts and their languages."""
        digest = hashlib.sha256()
        for code, rows in self.texts.items():
            digest.update("\n".join([code, *rows, ""]).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()[:16]

    def as_parallel(self) -> ParallelText:
        """The same as parallel text; refused where nothing is a translation of anything."""
        if not self.parallel:
            only = (
                f"only one language ({', '.join(self.texts)})" if len(self.texts) == 1 else "one language on each row"
            )
            raise IsoglossError(
                f"{only}, so it has no translations",
                where=self.name,
                remedy="give a column for each language; without translations, isogloss choose still reports how well "
                "tokenisers cover the languages and how far a model tells them apart",
            )
        return ParallelText(self.texts, self.name, self.revision, self.left_out)


def is_frame(data: object) -> bool:
    """Whether this is a table in memory: a pandas DataFrame or a Hugging Face dataset."""
    return hasattr(data, "to_pandas") or type(data).__name__ in {"DataFrame", "DatasetDict"}


def is_own(data: object) -> bool:
    """Whether this names a table, or text files one by one (``a.de,b.en``)."""
    if is_frame(data):
        return True
    if not isinstance(data, str | Path):
        return False
    path = Path(data).expanduser()
    return (path.is_file() and ending_of(path) in ENDINGS) or len(several_files(data)) > 1


def read_own(data: Any, languages: Sequence[str] | None = None, limit: int | None = None) -> OwnText:
    """Sentences from a CSV, TSV, JSON lines, Parquet or TMX file, a DataFrame, a dataset, or text files in step."""
    if is_frame(data):
        name = type(data).__name__
        return _read_table(frame_rows(as_frame(data), name), name, languages, limit)
    if len(paths := several_files(data)) > 1:
        files: dict[str, Path] = {}
        for path in paths:
            place(files, _code_of(path), path)
        wanted = by_language(files, languages, str(data))
        text = read_rows(wanted, limit, str(data))
        return OwnText(text.texts, True, text.name, text.left_out)
    path = Path(data).expanduser()
    return _read_table(read_table(path), str(data), languages, limit, gaps=ending_of(path) == ".tmx")


def as_frame(data: Any) -> Any:
    """A DataFrame, out of itself or of a dataset."""
    if type(data).__name__ == "DatasetDict":
        raise IsoglossError(
            f"this dataset has the splits {', '.join(map(str, data))}", where="data", remedy="choose one: data['test']"
        )
    return data.to_pandas() if hasattr(data, "to_pandas") else data


def several_files(data: str | Path) -> list[Path]:
    """The files that ``a.de,b.en`` names; none where it is not such a list."""
    parts = [Path(part.strip()).expanduser() for part in str(data).split(",")]
    return parts if len(parts) > 1 and all(part.is_file() for part in parts) else []


def _code_of(path: Path) -> str:
    """The language of ``de.txt`` or ``news.de``."""
    found = code_in(path.name) or (known.code if (known := try_language(path.suffix.removeprefix("."))) else None)
    if found is None:
        raise IsoglossError(
            "the file's name does not say its language", where=path, remedy="call it de.txt, or news.de"
        )
    return found


def _read_table(
    rows: Iterable[Row], name: str, languages: Sequence[str] | None, limit: int | None, *, gaps: bool = False
) -> OwnText:
    table = list(rows)
    if not table:
        raise IsoglossError("this table has no rows", where=name, remedy=f"give {CHOICE}")
    columns = list(dict.fromkeys(column for _, row in table for column in row))
    tongue, text = (next((column for column in columns if column.lower() in names), None) for names in (LANGUAGE, TEXT))
    if tongue is not None and text is not None:
        return _long(table, tongue, text, name, languages, limit)
    return _wide(table, columns, name, languages, limit, gaps=gaps)


def _wide(
    table: list[Row], columns: list[str], name: str, languages: Sequence[str] | None, limit: int | None, *, gaps: bool
) -> OwnText:
    """A column for each language. An empty cell is an error; in TMX, which has no cells, the unit is left out."""
    by_code: dict[str, str] = {}
    tally: Counter[str] = Counter()
    for column in columns:
        code = _column_language(column, table)
        if code is None:
            tally[f"column '{column}', which is not a language"] += 1
        elif code in by_code:
            raise IsoglossError(
                f"the columns '{by_code[code]}' and '{column}' are both {code}", where=name, remedy="drop one of them"
            )
        else:
            by_code[code] = column
    if not by_code:
        raise IsoglossError(
            f"no column is named by a language: {', '.join(columns)}", where=name, remedy=f"give {CHOICE}"
        )
    wanted = by_language(by_code, languages, name)
    kept = []
    for where, row in islice(table, None if gaps else limit):
        cells = [_cell(row, column, where, gaps=gaps) for column in wanted.values()]
        if all(cells):
            kept.append(cells)
        else:
            tally[BLANK] += 1
    if not kept:
        raise IsoglossError(
            "no row has text in every language",
            where=name,
            remedy="each row needs a text in every column; name fewer languages with --langs",
        )
    texts = dict(zip(wanted, map(tuple, zip(*kept[:limit], strict=True)), strict=True))
    return OwnText(texts, len(texts) > 1, name, dict(tally))


def _cell(row: Mapping[str, Any], column: str, where: str, *, gaps: bool) -> str:
    value = row.get(column)
    text = " ".join(value.split()) if isinstance(value, str) else ""
    if value is not None and not isinstance(value, str):
        raise IsoglossError(
            f"column '{column}' has a {type(value).__name__}, not a text", where=where, remedy="give a column of texts"
        )
    if not text and not gaps:
        raise IsoglossError(
            f"no text in column '{column}'",
            where=where,
            remedy="fill this cell, delete the row, or leave the language out",
        )
    return text


def _column_language(column: str, table: list[Row]) -> str | None:
    """The language a column is named by; ``id`` is Indonesian only where it holds running text."""
    if column.lower() in OTHER_MEANINGS:
        return None
    known = try_language(column)
    if known is not None and column.lower() == "id":
        values = [str(row.get(column) or "") for _, row in table]
        if sum(" " in value.strip() for value in values) < len(values) / 2:
            return None
    return known.code if known else None


def _long(
    table: list[Row], tongue: str, text: str, name: str, languages: Sequence[str] | None, limit: int | None
) -> OwnText:
    """A language and a text on each row; parallel where rows share an id across languages."""
    mark = next((column for column in table[0][1] if column.lower() in ID), None)
    found: dict[str, dict[Any, str]] = {}
    for number, (where, row) in enumerate(table):
        told = row.get(tongue)
        if not isinstance(told, str) or not told.strip():
            raise IsoglossError(f"no language in column '{tongue}'", where=where, remedy="name one: de, or German")
        code = _known(told.strip(), where)
        key = number if mark is None else row.get(mark)
        rows = found.setdefault(code, {})
        if key in rows:
            raise IsoglossError(f"a second row in {code} with {mark} '{key}'", where=where, remedy="drop one of them")
        rows[key] = _cell(row, text, where, gaps=False)
    wanted = list(by_language(found, languages, name))
    shared = [key for key in found[wanted[0]] if all(key in found[code] for code in wanted)]
    if mark is None or len(wanted) < 2 or not shared:
        texts = {code: tuple(islice(found[code].values(), limit)) for code in wanted}
        return OwnText(texts, False, name)
    texts = {code: tuple(found[code][key] for key in shared[:limit]) for code in wanted}
    lost = len({key for code in wanted for key in found[code]}) - len(shared)
    return OwnText(texts, True, name, {BLANK: lost} if lost else {})


def _known(told: str, where: str) -> str:
    try:
        return language(told).code
    except IsoglossError as error:
        raise IsoglossError(error.what, where=where, remedy=error.remedy) from None
