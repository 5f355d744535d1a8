"""Frames as CSV that a spreadsheet may open: text from data or names is never a formula."""

from typing import Any

import pandas as pd

# What spreadsheets take for the start of a formula, also behind blanks; a quote before it makes it text (OWASP).
FORMULA = ("=", "+", "-", "@", "\t", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def frame_to_csv(frame: pd.DataFrame) -> str:
    """``frame`` as CSV. Numbers stay as they are, negative ones too; text that begins like a formula gets a quote."""
    safe = frame.rename(columns=as_text)
    for place, kind in enumerate(safe.dtypes):
        if not pd.api.types.is_numeric_dtype(kind):
            safe.isetitem(place, [as_text(value) for value in safe.iloc[:, place]])
    return str(safe.to_csv(index=False, lineterminator="\n"))


def as_text(value: Any) -> Any:
    """A cell's text so that no spreadsheet computes it; other values unchanged."""
    if not isinstance(value, str):
        return value
    text = value.replace("\r\n", "\n").replace("\r", "\n")  # a bare return is not quoted, and would begin a row
    return f"'{text}" if text.lstrip(" ").startswith(FORMULA) else text
