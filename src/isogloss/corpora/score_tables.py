"""Scores that are known already, from a run of Isogloss or any table of languages and scores."""

import math
from dataclasses import dataclass
from pathlib import Path

from isogloss.errors import IsoglossError
from isogloss.languages import try_language

RUN_TABLE = "results.parquet"
LANGUAGE, SCORE = ("target", "language"), ("score", "value")


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
    try:
        if file.suffix == ".parquet":
            frame = pd.read_parquet(file)
        else:
            frame = pd.read_csv(file, sep="\t" if file.suffix == ".tsv" else ",")
    except (OSError, ValueError, UnicodeDecodeError) as error:
        raise IsoglossError(f"this table cannot be read ({error})", where=file) from error
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
    if not len(frame):
        raise IsoglossError(f"no row of this table is about task '{task}' {measure}".rstrip(), where=file)
    numbers = pd.to_numeric(frame[score], errors="coerce")
    if not all(math.isfinite(number) for number in numbers):
        raise IsoglossError(f"a value in column '{score}' is not a number", where=file)
    sources = frame["source"].astype(str) if "source" in frame.columns else source
    tidy = pd.DataFrame({"source": sources, "target": frame[language].astype(str), "score": numbers})
    means = tidy.groupby(["source", "target"], sort=False)["score"].mean().reset_index()
    rows = zip(means["source"], means["target"], means["score"], strict=True)
    return [KnownScore(_code(one), _code(other), float(number)) for one, other, number in rows]


def _column(columns: object, names: tuple[str, ...], file: Path) -> str:
    found = [name for name in names if name in list(columns)]  # type: ignore[call-overload]
    if not found:
        raise IsoglossError(f"this table has no column {' or '.join(names)}", where=file)
    return found[0]


def _code(text: str) -> str:
    known = try_language(text)
    return known.code if known else text
