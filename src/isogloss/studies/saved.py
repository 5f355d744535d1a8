"""A result as a folder of plain files, and back. ``result.json`` is written last, with the digests of the others."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
import pandas as pd

from isogloss.digests import DamagedError, digest_bytes, whole_digest
from isogloss.errors import IsoglossError
from isogloss.files import write_frame, write_whole
from isogloss.studies.csv_text import frame_to_csv
from isogloss.studies.figure import Figure
from isogloss.studies.result import Finding, Provenance, Result
from isogloss.studies.table import Table

FORMAT = 2  # 1: no digest of result.json itself
AGAIN = "run the study's command again; finished cells are kept"
Part = TypeVar("Part")


@dataclass(frozen=True)
class _Column:
    """One column of a frame; JSON knows no NaN, so a missing number is null and an infinite one is text."""

    name: str
    kind: Literal["int", "float", "bool", "text"]
    values: list[Any]


@dataclass(frozen=True)
class Head:
    """``result.json``: all but the frames, and the digest of every file that holds the rest."""

    format: int
    study: str
    question: str
    main_figure: str
    provenance: Provenance
    findings: tuple[Finding, ...]
    tables: tuple[str, ...]
    figures: tuple[str, ...]
    files: Mapping[str, str]
    digest: str = ""  # of all the above; empty in format 1, which had none


def save_result(result: Result, folder: Path) -> Path:
    """Write the run's data files into ``folder``; a crash leaves a run that loads as before or says it is damaged."""
    parts: dict[str, bytes] = {f"tables/{n}.json": _encode(t) for n, t in result.tables.items()}
    parts |= {f"figures/{n}.json": _encode(f) for n, f in result.figures.items()}
    for name, content in parts.items():
        write_whole(folder / name, content)
    for name, table in result.tables.items():
        write_whole(folder / "tables" / f"{name}.csv", frame_to_csv(table.frame))
    write_frame(folder / "results.parquet", result.records)
    write_whole(folder / "findings.json", findings_json(result))
    digests = {name: whole_digest(folder / name) for name in [*parts, "results.parquet"]}
    head = Head(
        FORMAT, result.study, result.question, result.main_figure, result.provenance, result.findings,
        tuple(result.tables), tuple(result.figures), digests,
    )  # fmt: skip
    sealed = replace(head, digest=_digest_of(head))
    write_whole(folder / "result.json", msgspec.json.format(msgspec.json.encode(sealed), indent=1))
    return folder


def load_result(folder: Path) -> Result:
    """Read what ``save_result`` wrote; an IsoglossError names the file that is missing, damaged or newer."""
    head = load_head(folder / "result.json")
    for name, digest in head.files.items():
        path = folder / name
        if not path.is_file():
            raise IsoglossError("a file of this run is missing", where=path, remedy=AGAIN)
        if whole_digest(path) != digest:
            raise DamagedError("this file is truncated or was changed after the run", where=path, remedy=AGAIN)
    return Result(
        study=head.study,
        question=head.question,
        findings=head.findings,
        tables={name: _decode(folder / "tables" / f"{name}.json", Table) for name in head.tables},
        figures={name: _decode(folder / "figures" / f"{name}.json", Figure) for name in head.figures},
        main_figure=head.main_figure,
        provenance=head.provenance,
        records=pd.read_parquet(folder / "results.parquet"),
    )


def findings_json(result: Result) -> str:
    """The findings and the question as JSON text, for people and programs that want only these."""
    content = {"study": result.study, "question": result.question, "findings": result.findings}
    return msgspec.json.format(msgspec.json.encode(content), indent=1).decode() + "\n"


def load_head(path: Path) -> Head:
    """Read ``result.json`` alone, without the data it speaks of."""
    if not path.is_file():
        raise IsoglossError(
            "there is no finished run here (there is no result.json)", where=path.parent,
            remedy="name a folder that a study wrote with --out, or wait until the study ends",
        )  # fmt: skip
    try:
        found = json.loads(path.read_bytes())
    except ValueError as error:
        raise IsoglossError(f"this file is truncated or damaged ({error})", where=path, remedy=AGAIN) from error
    number = found.get("format") if isinstance(found, dict) else None
    if isinstance(number, int) and number > FORMAT:
        raise IsoglossError(
            f"this run was written by a newer Isogloss (format {number}, this one reads up to {FORMAT})", where=path,
            remedy="pip install --upgrade isogloss",
        )  # fmt: skip
    head = _convert(found, Head, path)
    if head.format != 1 and head.digest != _digest_of({**found, "digest": ""}):  # as written: fields may be newer
        raise DamagedError("this file was changed after the run: its digest differs", where=path, remedy=AGAIN)
    return head


def _digest_of(head: Head | dict[str, Any]) -> str:
    """The digest of what ``result.json`` says, while its own digest is empty."""
    return digest_bytes(msgspec.json.encode(head))


def _encode(part: Table | Figure) -> bytes:
    return msgspec.json.encode(part, enc_hook=_frame_to_columns)


def _decode(path: Path, kind: type[Part]) -> Part:
    return _convert(json.loads(path.read_bytes()), kind, path)


def _convert(found: object, kind: type[Part], path: Path) -> Part:
    try:
        return msgspec.convert(found, kind, dec_hook=_columns_to_frame)
    except (msgspec.ValidationError, ValueError) as error:
        raise IsoglossError(
            f"this file does not hold a {kind.__name__.strip('_').lower()} ({error})", where=path, remedy=AGAIN
        ) from error


def _frame_to_columns(frame: object) -> list[_Column]:
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"cannot save a {type(frame).__name__}")
    return [_to_column(str(name), frame[name]) for name in frame.columns]


def _to_column(name: str, values: pd.Series) -> _Column:
    if pd.api.types.is_bool_dtype(values.dtype) and not values.hasnans:
        return _Column(name, "bool", [bool(value) for value in values])
    if pd.api.types.is_integer_dtype(values.dtype) and not values.hasnans:
        return _Column(name, "int", [int(value) for value in values])
    if pd.api.types.is_numeric_dtype(values.dtype):
        return _Column(name, "float", [_to_number(float(value)) for value in values.astype("float64")])
    cells = [None if pd.isna(value) else value for value in values.astype(object)]
    strange = next((cell for cell in cells if not isinstance(cell, str | None)), None)
    if strange is not None:
        raise ValueError(f"column '{name}' mixes text with {type(strange).__name__}; give it one type")
    return _Column(name, "text", cells)


def _to_number(value: float) -> float | str | None:
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else str(value)


def _columns_to_frame(kind: type, found: object) -> pd.DataFrame:
    if kind is not pd.DataFrame:
        raise TypeError(f"cannot read a {kind.__name__}")
    columns = msgspec.convert(found, list[_Column])
    lengths = {len(column.values) for column in columns}
    if len(lengths) > 1:
        raise ValueError("columns of unequal length")
    return pd.DataFrame({column.name: _to_series(column) for column in columns})


def _to_series(column: _Column) -> pd.Series:
    if column.kind == "float":
        return pd.Series([math.nan if value is None else float(value) for value in column.values], dtype="float64")
    if column.kind == "text":
        return pd.Series(column.values) if column.values else pd.Series([], dtype="str")
    return pd.Series(column.values, dtype="int64" if column.kind == "int" else "bool")
