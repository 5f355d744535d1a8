"""One vocabulary of columns for the records of every study, so that runs of different studies make one frame.

A row is one measurement. Columns that a study has no use for are empty (text) or missing (numbers); columns that only
one study needs stand after the common ones.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd

TEXT = ("study", "model", "task", "data", "source", "target")
COLUMNS = (*TEXT, "layer", "condition", "seed", "measure", "value", "low", "high", "n", "unit")
NUMBERS = ("value", "low", "high")
WHOLE = ("layer", "seed", "n")

HOME, ABROAD = "home", "abroad"  # values of ``side``: tested in the source language, or in another one
OTHER_DATA = ", other data"  # after either, where the test data is not the task's own


def tidy(parts: Iterable[pd.DataFrame], extra: Iterable[str] = ()) -> pd.DataFrame:
    """``parts`` below each other, in the common columns and then ``extra``; what a part lacks is empty or missing."""
    columns = [*COLUMNS, *extra]
    found = [part.reindex(columns=columns) for part in parts if len(part)]
    frame = pd.concat(found, ignore_index=True) if found else pd.DataFrame(columns=columns)
    for name in columns:
        frame[name] = _typed(name, frame[name])
    return frame


def _typed(name: str, values: pd.Series) -> pd.Series:
    if name in NUMBERS:
        return values.astype("float64")
    if name in WHOLE:
        return values.astype("float64").astype("Int64")
    if values.dtype == object or name in COLUMNS:
        return values.astype(object).where(values.notna(), "").astype(str)
    return values


def check_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """``frame``, if it speaks the common vocabulary; a study that does not is a mistake in its code."""
    missing = [name for name in COLUMNS if name not in frame.columns]
    if missing:
        raise ValueError(f"a study's records lack the columns {', '.join(missing)}")
    if not np.isfinite(frame["value"].dropna()).all():
        raise ValueError("a study's records hold a value that is not finite")
    return frame[[*COLUMNS, *(name for name in frame.columns if name not in COLUMNS)]]
