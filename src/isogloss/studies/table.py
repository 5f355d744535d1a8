"""A table as data: a frame and the layout in which people know it (best in bold, signed differences)."""

from dataclasses import dataclass
from typing import Literal

import pandas as pd

from isogloss.studies.figure import check_names

SPREADS = ("_low", "_high", "_n", "_p")


@dataclass(frozen=True)
class Table:
    """One table. ``index`` names the columns that say what a row is; ``values`` the others, in order (all by default).

    For a value column ``f1`` the columns ``f1_low``, ``f1_high``, ``f1_n`` (shown on hover) and ``f1_p`` (a paired
    test against the baseline; below 0.05 the cell is starred) are its spread and not columns of their own.

    ``best`` bolds the largest or smallest of each column (or row, with ``best_in="row"``) and says which sign of a
    difference is good. ``baseline_row`` (a value of the first index column) or ``baseline_column`` adds the signed
    difference to it under every other number. Columns in ``signed`` hold differences already. ``shade`` colours
    the cells by their difference to the baseline (or their value, for signed ones), as in Muller21 Table 1.
    """

    name: str
    title: str
    reading: str
    frame: pd.DataFrame
    index: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    best: Literal["max", "min"] | None = None
    best_in: Literal["column", "row"] = "column"
    baseline_row: str | None = None
    baseline_column: str | None = None
    signed: tuple[str, ...] = ()
    decimals: int = 1
    shade: bool = False
    caption: str = ""
    paper: str = ""

    def __post_init__(self) -> None:
        check_names(self.name, self.frame)
        if not self.reading:
            raise ValueError(f"table '{self.name}' needs a sentence on how to read it")
        named = [*self.index, *self.values, *self.signed]
        if self.baseline_column is not None:
            named.append(self.baseline_column)
        missing = [column for column in named if column not in self.frame.columns]
        if missing:
            raise ValueError(f"table '{self.name}': its frame has no column {', '.join(missing)}")
        if self.baseline_row is not None and self.baseline_row not in self.row_names():
            raise ValueError(f"table '{self.name}': no row is called '{self.baseline_row}'")

    @property
    def columns(self) -> tuple[str, ...]:
        """The value columns that are shown, spreads left out."""
        if self.values:
            return self.values
        names = [column for column in self.frame.columns if column not in self.index]
        spreads = {name + suffix for name in names for suffix in SPREADS}
        return tuple(name for name in names if name not in spreads)

    def row_names(self) -> list[str]:
        """The first index column as text, or running numbers where a table has no index."""
        if not self.index:
            return [str(row + 1) for row in range(len(self.frame))]
        return [str(value) for value in self.frame[self.index[0]]]

    @classmethod
    def from_tidy(
        cls, name: str, title: str, reading: str, tidy: pd.DataFrame, *, rows: tuple[str, ...], columns: str,
        value: str = "value", average: bool = False, **layout: object,
    ) -> "Table":  # fmt: skip
        """Spread tidy records out: one row for each ``rows``, one column for each value of ``columns``.

        Columns ``low``, ``high``, ``n`` and ``p`` of ``tidy`` become the spreads. ``average`` adds a column
        ``mean``, over the shown columns that a row has. Order is that of first appearance.
        """
        heads = [str(head) for head in tidy[columns].unique()]
        records: dict[tuple[object, ...], dict[str, object]] = {}
        kept = {value: "", **{s[1:]: s for s in SPREADS if s[1:] in tidy.columns}}
        for row in tidy.to_dict("records"):
            key = tuple(row[part] for part in rows)
            record = records.setdefault(key, dict(zip(rows, key, strict=True)))
            head = str(row[columns])
            if head in record:
                raise ValueError(f"table '{name}': two records for {key} and {columns} {head}")
            record.update({head + suffix: row[column] for column, suffix in kept.items()})
        order = [*rows, *(head + suffix for head in heads for suffix in kept.values())]
        frame = pd.DataFrame(list(records.values()), columns=order)
        if average:
            frame["mean"] = frame[heads].mean(axis=1)
            heads.append("mean")
        return cls(name, title, reading, frame, index=rows, values=tuple(heads), **layout)  # type: ignore[arg-type]
