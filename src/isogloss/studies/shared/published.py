"""Published and measured numbers side by side, for studies that repeat a paper's tables."""

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from isogloss.studies.expectations import beside, load_expectations, reason_for
from isogloss.studies.result import Table

KEYS = ("task", "condition", "language", "measure")  # what tells one printed number from another


def published(
    name: str, paper: str, measured: pd.DataFrame, items: tuple[str, ...] = (), only: Mapping[str, str] | None = None,
    also: Mapping[str, pd.DataFrame] | None = None, note: str = "", on: Sequence[str] = KEYS, decimals: int = 2,
) -> Iterator[Table]:  # fmt: skip
    """The expectations ``name`` (``muller21``) beside ``measured``; then what meets nothing, and why.

    ``measured`` has the columns ``on``, by which numbers meet, and value. ``items`` are the paper's tables and figures
    that the study repeats (all, unless named); ``only`` narrows a key to the start of its value, such as one model's
    conditions. ``also`` are other ways to measure the same numbers, by name: a column each with its difference.
    ``note`` ends the caption. Nothing where nothing meets.
    """
    expected = load_expectations(name)
    expected = expected[expected["item"].isin(items)] if items else expected
    for key, start in (only or {}).items():
        expected = expected[expected[key].str.startswith(start)]
    joined = beside(expected, measured, on)
    if not len(joined):
        return
    columns = ["published", "measured", "difference"]
    for way, frame in (also or {}).items():
        joined = joined.merge(frame.rename(columns={"value": way}), on=list(on), how="left")
        joined[f"difference, {way}"] = joined[way] - joined["published"]
        columns += [way, f"difference, {way}"]
    yield Table(
        "published", "Published and measured",
        f"Numbers of the paper beside those of this run, and the difference.{note}",
        joined, index=("item", *KEYS), values=tuple(columns),
        signed=tuple(column for column in columns if column.startswith("difference")), decimals=decimals, paper=paper,
    )  # fmt: skip
    rest = not_compared(name, expected, measured, on)
    if len(rest):
        yield Table(
            "not-compared", "Published, but not compared",
            "Numbers of the paper that no number of this run stands beside, each with the reason.",
            rest, index=("item", *KEYS), values=("published", "reason"), decimals=2, paper=paper,
        )  # fmt: skip


def not_compared(name: str, expected: pd.DataFrame, measured: pd.DataFrame, keys: Sequence[str] = KEYS) -> pd.DataFrame:
    """The rows of ``expected`` that meet nothing in ``measured`` by ``keys``, with the reason."""
    met = expected.merge(measured[list(keys)].drop_duplicates(), on=list(keys), how="left", indicator=True)
    rest = met[met["_merge"] == "left_only"].drop(columns="_merge").rename(columns={"value": "published"})
    rows = [{str(key): value for key, value in row.items()} for row in rest.to_dict("records")]
    reasons = [reason_for(name, row) or _missing(row, measured, keys) for row in rows]
    return rest.assign(reason=reasons).reset_index(drop=True)


def _missing(row: Mapping[str, object], measured: pd.DataFrame, keys: Sequence[str]) -> str:
    """What this run lacks: the first of task, condition, language and measure that it has no number for."""
    left = measured
    for key in keys:
        if not (left[key] == row[key]).any():
            return f"this run has no {key} '{row[key]}'" + ("" if key == "task" else " there")
        left = left[left[key] == row[key]]
    return "this run has no such number"
