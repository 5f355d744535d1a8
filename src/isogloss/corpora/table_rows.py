"""Rows of a table that somebody made: CSV, TSV, JSON lines, Parquet or TMX, each with the place it stands at."""

import csv
import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from isogloss.corpora.json_lines import LONGEST
from isogloss.corpora.lines import COMPRESSED, open_bytes, read_lines
from isogloss.errors import IsoglossError

Row = tuple[str, Mapping[str, Any]]  # where it stands, and its cells by column
ENDINGS = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".tmx")
LANG = "{http://www.w3.org/XML/1998/namespace}lang"


def ending_of(path: Path) -> str:
    """The ending that says what a file is, compression aside."""
    return (path.with_suffix("") if path.suffix in COMPRESSED else path).suffix.lower()


def read_table(path: Path) -> Iterator[Row]:
    """The rows of a file, in order."""
    ending = ending_of(path)
    if ending in {".csv", ".tsv"}:
        return _delimited(path, tabs=ending == ".tsv")
    if ending in {".jsonl", ".ndjson"}:
        return _json_lines(path)
    return _parquet(path) if ending == ".parquet" else _tmx(path)


def frame_rows(frame: Any, name: str) -> Iterator[Row]:
    """The rows of a pandas DataFrame; HF's nested ``translation`` column is opened up."""
    refuse_doubles([str(column) for column in frame.columns], name)
    for number, cells in enumerate(frame.to_dict("records"), start=1):
        plain = {str(column): None if _is_missing(value) else value for column, value in cells.items()}
        yield f"{name}: row {number}", _opened(plain)


def refuse_doubles(columns: list[str], where: str) -> None:
    """Refuse a table in which two columns have one name."""
    double = [column for column, times in Counter(columns).items() if times > 1]
    if double:
        raise IsoglossError(f"two columns are called '{double[0]}'", where=where, remedy="rename or drop one of them")


def _delimited(path: Path, *, tabs: bool) -> Iterator[Row]:
    lines = (f"{text}\n" for _, text in read_lines(path))
    first = next(read_lines(path))[1]
    mark = "\t" if tabs else max(",;\t", key=first.count)
    reader = csv.reader(lines, delimiter=mark, quoting=csv.QUOTE_NONE if tabs else csv.QUOTE_MINIMAL, strict=True)
    try:
        header = [column.strip() for column in next(reader)]
        refuse_doubles(header, f"{path}:1")
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(header):
                raise IsoglossError(
                    f"{len(cells)} cells, but the header has {len(header)}",
                    where=f"{path}:{reader.line_num}",
                    remedy="put text that contains a comma in double quotes" if not tabs else "drop tabs inside texts",
                )
            yield f"{path}:{reader.line_num}", dict(zip(header, cells, strict=True))
    except csv.Error as error:
        raise IsoglossError(
            f"not a table ({error})", where=f"{path}:{reader.line_num}", remedy="check the quotes around this text"
        ) from None


def _json_lines(path: Path) -> Iterator[Row]:
    for number, text in read_lines(path):
        if not text.strip():
            continue
        where = f"{path}:{number}"
        if len(text) > LONGEST:
            raise IsoglossError(
                f"a line of {len(text):,} characters",
                where=where,
                remedy="is a quotation mark not closed? A row is expected on each line",
            )
        try:
            row = json.loads(text, object_pairs_hook=partial(_once, where))
        except (ValueError, RecursionError) as error:  # ValueError: also a number of thousands of digits
            raise IsoglossError(
                f"not JSON ({error})", where=where, remedy="write one JSON object on each line"
            ) from None
        if not isinstance(row, dict):
            raise IsoglossError("not a JSON object", where=where, remedy='as in {"de": "Ein Haus.", "en": "A house."}')
        yield where, _opened(row)


def _once(where: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    refuse_doubles([key for key, _ in pairs], where)
    return dict(pairs)


def _parquet(path: Path) -> Iterator[Row]:
    import pyarrow
    import pyarrow.parquet

    try:
        frame = pyarrow.parquet.read_table(path).to_pandas()
    except (pyarrow.ArrowException, OSError) as error:
        raise IsoglossError(
            f"not a Parquet file ({str(error).splitlines()[0]})",
            where=path,
            remedy="fetch or write it again, or give CSV or JSON lines",
        ) from None
    return frame_rows(frame, str(path))


def _tmx(path: Path) -> Iterator[Row]:
    """Translation units; one that lacks a language simply has no cell for it."""
    number = 0
    try:
        with open_bytes(path) as handle:
            for _, element in ElementTree.iterparse(handle):  # noqa: S314  (expat refuses bombs and reads no other file)
                if element.tag.rpartition("}")[2] != "tu":
                    continue
                number += 1
                yield f"{path}: unit {number}", dict(_variants(element, f"{path}: unit {number}"))
                element.clear()
    except ElementTree.ParseError as error:
        raise IsoglossError(
            f"not XML ({error})", where=f"{path}: after unit {number}", remedy="export the translation memory again"
        ) from None
    if not number:
        raise IsoglossError("no translation unit (tu) in this file", where=path, remedy="give a TMX file")


def _variants(unit: ElementTree.Element, where: str) -> Iterator[tuple[str, str]]:
    seen: set[str] = set()
    for variant in unit.iter():
        if variant.tag.rpartition("}")[2] != "tuv":
            continue
        code = variant.get(LANG) or variant.get("lang") or ""
        if code in seen:
            raise IsoglossError(f"this unit has two variants in '{code}'", where=where, remedy="keep one of them")
        seen.add(code)
        text = next((" ".join("".join(part.itertext()).split()) for part in variant if part.tag.endswith("seg")), "")
        if text:
            yield code, text


def _opened(row: dict[str, Any]) -> dict[str, Any]:
    """``{"translation": {"de": ..., "en": ...}}`` as OPUS has it on the hub, one level up."""
    inner = row.get("translation")
    if not isinstance(inner, dict):
        return row
    return {**{key: value for key, value in row.items() if key != "translation"}, **inner}


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))
