"""What templates are given: figures, tables and findings as small records of plain text."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import pandas as pd

from isogloss.report.figures import Drawing, Scale, draw_panels
from isogloss.report.figures.drawing import shows_intervals
from isogloss.report.latex import table_to_latex
from isogloss.report.palette import Colours
from isogloss.report.payload import drawing_json, pack, table_json
from isogloss.report.table_layout import MINUS, Cell, format_number, lay_out
from isogloss.studies.result import Figure, Finding, Result, Table

ALMOST_NOTHING = 0.03  # of the strongest shade
SHORT_HEAD = 12  # characters of a column's head that stay in one line
BRIEF = 16  # characters of words in a cell that stay in one line


@dataclass
class Payloads:
    """The packed data of a page by element id; ``prefix`` keeps studies on one page and downloads apart."""

    prefix: str
    packed: dict[str, str] = field(default_factory=dict)

    def add(self, kind: str, name: str, content: str) -> str:
        """Pack ``content``; the id under which the page's script finds it."""
        key = f"data-{self.prefix}-{kind}-{name}"
        self.packed[key] = pack(content)
        return key


@dataclass(frozen=True)
class FindingLine:
    text: str
    evidence: str
    warning: bool = False


@dataclass(frozen=True)
class FigureSection:
    """A figure for the template ``plot``."""

    id: str
    number: int
    title: str
    reading: str
    alt: str
    kind: str
    payload: str
    paper: str
    n: str
    note: str
    facets: tuple[str, ...]
    facet_title: str
    start: int
    slider: bool
    panels: int
    height: int
    width: str
    scale: Scale | None
    caption: str = ""
    is_table: bool = False


@dataclass(frozen=True)
class ShownCell:
    text: str
    sort: str
    best: bool
    significant: bool
    difference: str
    spread: str
    shade: float
    classes: str


@dataclass(frozen=True)
class ShownRow:
    names: tuple[str, ...]
    cells: tuple[ShownCell, ...]
    baseline: bool


@dataclass(frozen=True)
class TableSection:
    """A table for the template ``table``."""

    id: str
    number: int
    title: str
    reading: str
    caption: str
    payload: str
    paper: str
    n: str
    key: str
    spreads: bool
    shaded: bool
    index: tuple[str, ...]
    columns: tuple[str, ...]
    classes: tuple[str, ...]  # of each column's head
    rows: tuple[ShownRow, ...]
    signature: str = ""
    is_table: bool = True


def with_intervals(figure: Figure, drawing: Drawing) -> str:
    """How to read a figure; what its bands are is said only where some are drawn."""
    return f"{figure.reading} {figure.intervals}".rstrip() if shows_intervals(drawing.panels) else figure.reading


def finding_lines(findings: Iterable[Finding]) -> list[FindingLine]:
    """Findings with the evidence they rest on in a second line."""
    return [FindingLine(with_minus(finding.text), evidence(finding), finding.warning) for finding in findings]


def opening_findings(results: Iterable[tuple[str, Result]]) -> list[Finding]:
    """What stands above several results: the warnings of all of them, then the first finding of each."""
    warnings, first = [], []
    for name, result in results:
        named = [Finding(f"{name}: {one.text}", warning=one.warning) for one in result.findings]
        warnings += [one for one in named if one.warning]
        first += [one for one in named if not one.warning][:1]
    return [*warnings, *first]


def with_minus(text: str) -> str:
    """``[-0.3, 1.2] -> [−0.3, 1.2]``; hyphens of names and ranges (``layers 1-2``) stay."""
    return re.sub(r"(?<![\w.)\-])-(?=\d)", MINUS, text)


def evidence(finding: Finding) -> str:
    """``effect 12.3 points, interval [10.1, 14.4], n = 2,000``, as far as it is known."""
    parts = []
    known = [abs(value) for value in (finding.effect, finding.low, finding.high) if value is not None]
    decimals = 3 if max(known, default=0.0) < 1 else 1
    decimals = 0 if all(value == int(value) for value in known if math.isfinite(value)) else decimals
    if finding.effect is not None:
        unit = finding.unit if finding.unit == "%" or not finding.unit else f" {finding.unit}"
        parts.append(f"effect {format_number(finding.effect, decimals)}{unit}")
    if finding.low is not None and finding.high is not None:
        ends = (format_number(end, decimals) for end in (finding.low, finding.high))
        parts.append(f"interval [{', '.join(ends)}]")
    if finding.n is not None:
        over = finding.over.removesuffix("s") if finding.n == 1 else finding.over
        parts.append(f"n = {finding.n:,} {over}".rstrip())
    return ", ".join(parts)


def figure_section(figure: Figure, number: int, colours: Colours, payloads: Payloads) -> FigureSection:
    """Draw ``figure``, pack it, and describe it for the template."""
    drawing = draw_panels(figure, colours)
    payload = payloads.add("figure", figure.name, drawing_json(drawing, figure.frame, _file(payloads, figure.name)))
    numeric = bool(drawing.facets) and pd.api.types.is_numeric_dtype(figure.frame[figure.column("facet")].dtype)
    return FigureSection(
        id=f"{payloads.prefix}-figure-{figure.name}",
        number=number,
        title=figure.title,
        reading=with_intervals(figure, drawing),
        alt=figure.alt,
        kind=figure.kind,
        payload=payload,
        paper=figure.paper,
        n=_n_range(figure.frame[figure.column("n")]) if figure.column("n") else "",
        note=drawing.note,
        facets=drawing.facets,
        facet_title=drawing.facet_title.replace("_", " "),
        start=drawing.facets.index(drawing.start) if drawing.facets else 0,
        slider=numeric,
        panels=len(drawing.panels),
        height=int(drawing.panels[0].layout.height),
        width=f"{drawing.widest}px" if drawing.widest else "none",
        scale=drawing.scale,
    )


def table_section(table: Table, number: int, payloads: Payloads, signature: str = "") -> TableSection:
    """Lay ``table`` out, pack its downloads, and describe it for the template."""
    layout = lay_out(table)
    latex = table_to_latex(table, signature)
    rows = tuple(
        ShownRow(
            row.names,
            tuple(_shown(cell, table, column) for cell, column in zip(row.cells, layout.columns, strict=True)),
            row.baseline,
        )
        for row in layout.rows
    )
    counts = [cell.n for row in layout.rows for cell in row.cells if cell.n is not None]
    return TableSection(
        id=f"{payloads.prefix}-table-{table.name}",
        number=number,
        title=table.title,
        reading=table.reading,
        caption=table.caption,
        payload=payloads.add("table", table.name, table_json(table.frame, latex, _file(payloads, table.name))),
        paper=table.paper,
        n=_n_range(pd.Series(counts)) if counts else "",
        key=_key(table, rows),
        spreads=any(cell.spread for row in rows for cell in row.cells),
        shaded=table.shade,
        index=tuple(head.replace("_", " ") for head in layout.index),
        columns=tuple(head.replace("_", " ") for head in layout.columns),
        classes=tuple(_head_class(table, column) for column in layout.columns),
        rows=rows,
        signature=signature,
    )


def _head_class(table: Table, column: str) -> str:
    """Heads stand over their cells; short ones stay in one line."""
    classes = ["" if _is_number(table, column) else "words", "short" if len(column) <= SHORT_HEAD else ""]
    return " ".join(filter(None, classes))


def _is_number(table: Table, column: str) -> bool:
    return pd.api.types.is_numeric_dtype(table.frame[column].dtype)


def _shown(cell: Cell, table: Table, column: str) -> ShownCell:
    shade = 0.0 if cell.shade is None or abs(cell.shade) < ALMOST_NOTHING else cell.shade
    classes = [
        "signed" if column in table.signed else "",
        "" if _is_number(table, column) else "words brief" if len(cell.text) <= BRIEF else "words",
        {True: "good", False: "bad", None: ""}[cell.good],
        "up" if shade > 0 else "down" if shade < 0 else "",
    ]
    return ShownCell(
        text=cell.text,
        sort=repr(cell.number) if cell.number is not None else "" if _is_number(table, column) else cell.text,
        best=cell.best,
        significant=cell.significant,
        difference=cell.difference,
        spread=_spread(cell, table.decimals),
        shade=round(abs(shade), 3),
        classes=" ".join(filter(None, classes)),
    )


def _spread(cell: Cell, decimals: int) -> str:
    parts = []
    if cell.low is not None and cell.high is not None:
        parts.append(f"[{format_number(cell.low, decimals)}, {format_number(cell.high, decimals)}]")
    if cell.n is not None:
        parts.append(f"n = {cell.n:,}")
    return ", ".join(parts)


def _key(table: Table, rows: tuple[ShownRow, ...]) -> str:
    """What bold, signs and stars mean, where they occur."""
    cells = [cell for row in rows for cell in row.cells]
    base = table.baseline_row or (table.baseline_column or "").replace("_", " ")
    parts = []
    if any(cell.best for cell in cells):
        parts.append(f"bold: {'largest' if table.best == 'max' else 'smallest'} of its {table.best_in}")
    if base and any(cell.difference for cell in cells):
        parts.append(f"signed: difference to {base}")
    if any(cell.significant for cell in cells):
        parts.append("*: p < 0.05")
    return ", ".join(parts)


def _n_range(counts: pd.Series) -> str:
    known = counts.dropna()
    if known.empty:
        return ""
    low, high = int(known.min()), int(known.max())
    return f"n = {low:,}" if low == high else f"n = {low:,} to {high:,}"


def _file(payloads: Payloads, name: str) -> str:
    return f"{payloads.prefix}-{name}"
