"""Scores that are known already, from a run of Isogloss or any table of languages and scores."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isogloss.errors import IsoglossError
from isogloss.languages import try_language

RUN_TABLE = "results.parquet"
LANGUAGE, SCORE, AMOUNT = ("target", "language"), ("score", "value"), ("amount", "value")


@dataclass(frozen=True)
class KnownScore:
    """The mean score of a model fine-tuned in ``source`` and tested in ``target``."""

    source: str
    target: str
    score: float


def read_scores(path: Path, source: str, task: str = "", measure: str = "") -> list[KnownScore]:
    """Scores of a run's folder, or of a CSV, TSV or Parquet file with the columns language (or target) and score (or
    value), and perhaps source, task and measure. Several rows of one pair (seeds) are averaged.

    ``source`` is meant where the table names none.
    """
    import pandas as pd

    file = path / RUN_TABLE if path.is_dir() else path
    if not file.is_file():
        raise IsoglossError(
            "no scores here", where=path, remedy="name a run of transfer, or a table of languages and scores"
        )
    frame = _read_table(file)
    language, score = (_column(frame.columns, names, file) for names in (LANGUAGE, SCORE))
    if "main" in frame.columns and not measure:
        frame = frame[frame["main"].astype(bool)]
    for name, wanted in (("task", task), ("measure", measure)):
        if name in frame.columns and wanted:
            frame = frame[frame[name] == wanted]
        values = sorted(map(str, frame[name].dropna().unique())) if name in frame.columns else []
        if len(values) > 1:
            raise IsoglossError(
                f"this table has several values of '{name}': {', '.join(values[:8])}",
                where=file,
                remedy=f"choose with --{name}",
            )
    for name in ("model", "condition"):
        values = sorted(map(str, frame[name].dropna().unique())) if name in frame.columns else []
        if len(values) > 1:
            raise IsoglossError(
                f"this table has scores of several kinds ('{name}': {', '.join(values[:4])})",
                where=file,
                remedy="name a run of one model and one method, or a table with the rows you mean",
            )
    if not len(frame):
        raise IsoglossError(
            f"no row of this table is about task '{task}' {measure}".rstrip(),
            where=file,
            remedy="name a task and a measure that the table has",
        )
    numbers = _numbers(frame[score], file)
    sources = frame["source"].astype(str) if "source" in frame.columns else source
    tidy = pd.DataFrame({"source": sources, "target": frame[language].astype(str), "score": numbers})
    means = tidy.groupby(["source", "target"], sort=False)["score"].mean().reset_index()
    rows = zip(means["source"], means["target"], means["score"], strict=True)
    return [KnownScore(_code(one), _code(other), float(number)) for one, other, number in rows]


def read_amounts(path: Path) -> dict[str, float]:
    """Amounts of pretraining text by language, of a table with the columns language and amount (in any one unit)."""
    frame = _read_table(path)
    language, amount = (_column(frame.columns, names, path) for names in (LANGUAGE, AMOUNT))
    codes = [_code(str(name)) for name in frame[language]]
    twice = [code for code in codes if codes.count(code) > 1]
    if twice:
        raise IsoglossError(f"two rows are about '{twice[0]}'", where=path, remedy="keep one row per language")
    return dict(zip(codes, map(float, _numbers(frame[amount], path)), strict=True))


def _read_table(file: Path) -> Any:
    """A CSV, TSV or Parquet file as a frame."""
    import pandas as pd

    try:
        if file.suffix == ".parquet":
            return pd.read_parquet(file)
        return pd.read_csv(file, sep="\t" if file.suffix == ".tsv" else ",")
    except (OSError, ValueError, UnicodeDecodeError) as error:
        raise IsoglossError(
            f"this table cannot be read ({error})",
            where=file,
            remedy="give a CSV, TSV or Parquet file with one row per score",
        ) from error


def _numbers(column: Any, file: Path) -> Any:
    import pandas as pd

    numbers = pd.to_numeric(column, errors="coerce")
    if not all(math.isfinite(number) for number in numbers):
        raise IsoglossError(
            f"a value in column '{column.name}' is not a number",
            where=file,
            remedy="write scores as numbers such as 71.3",
        )
    return numbers


def _column(columns: object, names: tuple[str, ...], file: Path) -> str:
    found = [name for name in names if name in list(columns)]  # type: ignore[call-overload]
    if not found:
        raise IsoglossError(
            f"this table has no column {' or '.join(names)}",
            where=file,
            remedy="add the column, or rename the one that is meant",
        )
    return found[0]


def _code(text: str) -> str:
    known = try_language(text)
    return known.code if known else text
