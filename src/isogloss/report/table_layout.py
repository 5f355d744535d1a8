"""A table's cells as shown: rounded, the best marked, differences signed; shared by HTML, LaTeX and terminal."""

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd

from isogloss.studies.table import Table

MINUS = "\u2212"
ALPHA = 0.05
Values = dict[str, list[Any]]  # a frame's columns


@dataclass(frozen=True)
class Cell:
    """One cell: its text, and what a reader should notice about it.

    ``good`` says whether the difference is an improvement (None: no difference, or no direction). ``shade`` is in
    [-1, 1], negative for worse than the baseline, and None where the table is not shaded.
    """

    text: str
    number: float | None = None
    best: bool = False
    difference: str = ""
    good: bool | None = None
    significant: bool = False
    low: float | None = None
    high: float | None = None
    n: int | None = None
    shade: float | None = None


@dataclass(frozen=True)
class Row:
    """A row: what it is, its cells, and whether it is the baseline that others are compared with."""

    names: tuple[str, ...]
    cells: tuple[Cell, ...]
    baseline: bool


@dataclass(frozen=True)
class Layout:
    """A whole table ready to be written: heads of the index and value columns, and rows."""

    index: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


def lay_out(table: Table) -> Layout:
    """Turn a table's frame into cells."""
    frame, columns = table.frame, _telling(table)
    numeric = {c: frame[c].astype("float64") for c in columns if pd.api.types.is_numeric_dtype(frame[c].dtype)}
    differences = _differences(table, numeric)
    best = _best(table, numeric)
    largest = max((abs(d) for column in differences.values() for d in column if math.isfinite(d)), default=0.0)
    highest = max((abs(v) for column in numeric.values() for v in column if math.isfinite(v)), default=0.0)
    extent = max(largest, least_reach(table.decimals, highest))
    values = {name: frame[name].tolist() for name in frame.columns}  # single cells of a frame are slow to reach
    rows = []
    for row, name in enumerate(table.row_names()):
        cells = tuple(
            _number_cell(table, values, column, row, differences, (column, row) in best, extent)
            if column in numeric
            else Cell(_text(values[column][row]))
            for column in columns
        )
        names = tuple(_text(values[part][row]) for part in table.index) or (name,)
        rows.append(Row(names, cells, name == table.baseline_row))
    return Layout(table.index or ("",), columns, tuple(rows))


def _telling(table: Table) -> tuple[str, ...]:
    """The columns without those that are empty in every row, such as the scripts of languages that have none."""
    return tuple(column for column in table.columns if any(_text(value) for value in table.frame[column]))


def least_reach(decimals: int, highest: float = 0.0) -> float:
    """The smallest difference that is shown in full colour: 2 points of scores with one decimal, 0.2 with two.

    Without it the largest of some negligible differences would look like a great one. Where the ``highest`` number is
    beyond 10, scores are points out of 100 however many decimals they have, and 2 points are the least.
    """
    return max(20 * 10.0**-decimals, 2.0 if highest > 10 else 0.0)


def format_number(value: float | None, decimals: int, *, sign: bool = False) -> str:
    """``-0.04 -> '−0.0'`` never: a number that rounds to zero has no sign. Missing is a dash, minus is a real minus."""
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    rounded = round(value, decimals)
    if rounded == 0:
        return f"{0:.{decimals}f}"
    return f"{rounded:{'+' if sign else ''},.{decimals}f}".replace("-", MINUS)


def _number_cell(
    table: Table,
    values: Values,
    column: str,
    row: int,
    differences: dict[str, list[float]],
    best: bool,
    extent: float,
) -> Cell:
    value = float(values[column][row])
    decimals = 0 if pd.api.types.is_integer_dtype(table.frame[column].dtype) else table.decimals
    difference = differences.get(column, [math.nan] * (row + 1))[row]
    signed = column in table.signed
    shown = math.isfinite(difference)
    p = _spread(values, column + "_p", row)
    n = _spread(values, column + "_n", row)
    return Cell(
        text=format_number(value, decimals, sign=signed),
        number=None if math.isnan(value) else value,
        best=best,
        difference="" if signed or not shown else format_number(difference, decimals, sign=True),
        good=_is_good(table, difference, decimals) if shown else None,
        significant=p is not None and p < ALPHA,
        low=_spread(values, column + "_low", row),
        high=_spread(values, column + "_high", row),
        n=None if n is None else int(n),
        shade=_shade(table, difference, extent),
    )


def _differences(table: Table, numeric: dict[str, pd.Series]) -> dict[str, list[float]]:
    """Differences to the baseline by column; NaN for the baseline itself and where there is none."""
    found: dict[str, list[float]] = {}
    names = table.row_names()
    for column, values in numeric.items():
        if column in table.signed:
            found[column] = [float(value) for value in values]
        elif table.baseline_row is not None:
            base = float(values.iloc[names.index(table.baseline_row)])
            found[column] = [
                math.nan if name == table.baseline_row else float(value) - base
                for name, value in zip(names, values, strict=True)
            ]
        elif table.baseline_column in numeric and column != table.baseline_column:
            found[column] = [float(value) for value in values - numeric[table.baseline_column]]
    return found


def _best(table: Table, numeric: dict[str, pd.Series]) -> set[tuple[str, int]]:
    """The (column, row) places that are best at the shown precision; ties share the honour, a lone cell has none."""
    if table.best is None or not numeric:
        return set()
    grid = pd.DataFrame({c: v for c, v in numeric.items() if c not in table.signed}).round(table.decimals)
    lines = (
        [[(c, r) for r in range(len(grid))] for c in grid.columns]
        if table.best_in == "column"
        else [[(c, r) for c in grid.columns] for r in range(len(grid))]
    )
    best = set()
    rounded = {column: grid[column].tolist() for column in grid.columns}
    for line in lines:
        values = {place: rounded[place[0]][place[1]] for place in line}
        finite = [value for value in values.values() if not math.isnan(value)]
        if len(set(finite)) > 1:
            top = max(finite) if table.best == "max" else min(finite)
            best |= {place for place, value in values.items() if value == top}
    return best


def _is_good(table: Table, difference: float, decimals: int) -> bool | None:
    if table.best is None or round(difference, decimals) == 0:
        return None
    return (difference > 0) == (table.best == "max")


def _shade(table: Table, difference: float, extent: float) -> float | None:
    if not table.shade or not math.isfinite(difference):
        return None
    towards = -1.0 if table.best == "min" else 1.0
    return max(-1.0, min(1.0, towards * difference / extent))


def _spread(values: Values, column: str, row: int) -> float | None:
    if column not in values:
        return None
    value = float(values[column][row])
    return None if math.isnan(value) else value


def _text(value: object) -> str:
    return "–" if pd.isna(value) else str(value)  # type: ignore[call-overload]
