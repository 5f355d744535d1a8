"""The findings and the main table in the terminal, so that no browser is needed on a cluster."""

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.table import Table as RichTable
from rich.text import Text

from isogloss.console import Console, escape
from isogloss.report.contexts import evidence, opening_findings, with_minus
from isogloss.report.signature import signature_of
from isogloss.report.table_layout import Cell, lay_out
from isogloss.studies.next_steps import next_steps
from isogloss.studies.result import Finding, Result, Table
from isogloss.studies.saved import findings_json

MOST_ROWS = 30
MOST_CHARACTERS = 28  # in a cell, before it wraps
GAP = 2  # characters between columns


def show_in_terminal(result: Result, folder: Path | str, console: Console | None = None) -> None:
    """Print the question, the findings, the first table, the files written and what to do next."""
    console = console or Console(highlight=False)
    console.print(f"\n[bold]{escape(result.question)}[/]")
    console.print(_bullets([(_said(finding), evidence(_unsaid(finding))) for finding in result.findings]))
    if result.tables:
        console.print()
        for part in terminal_tables(next(iter(result.tables.values())), console.width):
            console.print(part)
        console.print(Text(signature_of(result, next(iter(result.tables.values()))), style="dim", overflow="fold"))
    console.print()
    for path in written_files(result, Path(folder)):
        console.print(f"wrote {escape(str(path))}", soft_wrap=True)
    for command, shows in next_steps(result, Path(folder)):
        console.print(f"next: [bold]{escape(command)}[/]\n      {escape(shows)}", soft_wrap=True)


def terminal_tables(table: Table, width: int) -> list[RichTable]:
    """A table as Rich shows it, cut into several with the same rows where its columns do not fit ``width``.

    Best in bold, differences signed; long tables are cut, and say so.
    """
    layout = lay_out(table)
    rows = layout.rows[:MOST_ROWS]
    names = [_widest([head, *(row.names[place] for row in rows)]) for place, head in enumerate(layout.index)]
    cells = [[_terminal_cell(row.cells[place]) for row in rows] for place in range(len(layout.columns))]
    columns = zip(layout.columns, cells, strict=True)
    widths = [_widest([head, *(cell.plain for cell in column)]) for head, column in columns]
    groups = _groups(widths, width - sum(names) - GAP * len(names))
    left_out = len(layout.rows) - len(rows)
    shown = []
    for group in groups:
        part = RichTable(
            title=escape(table.title) if group is groups[0] else None, title_justify="left", title_style="bold",
            caption=f"{left_out} more rows are in the report" if left_out and group is groups[-1] else None,
            caption_justify="left", box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True,
        )  # fmt: skip
        for head in layout.index:
            part.add_column(escape(_words(head)), overflow="fold")
        for place in group:
            part.add_column(escape(_words(layout.columns[place])), justify="right", overflow="fold")
        for number, row in enumerate(rows):
            part.add_row(*map(Text, row.names), *(cells[place][number] for place in group))
        shown.append(part)
    return shown


def _words(head: str) -> str:
    return head.replace("_", " ")


def _widest(column: Sequence[str]) -> int:
    """The characters a column needs: its longest cell, the head's longest word; text wraps beyond a limit."""
    head, *cells = column
    return min(MOST_CHARACTERS, max(len(part) for part in (*_words(head).split(), *cells, "")))


def _groups(widths: Sequence[int], room: int) -> list[list[int]]:
    """The columns in order, as many in a group as ``room`` allows, at least one."""
    groups: list[list[int]] = [[]]
    left = room
    for place, width in enumerate(widths):
        if groups[-1] and width + GAP > left:
            groups.append([])
            left = room
        groups[-1].append(place)
        left -= width + GAP
    return groups


def show_site_in_terminal(
    results: Sequence[tuple[str, Result]],
    folder: Path | str,
    *,
    as_json: bool = False,
    findings: Sequence[Finding | str] = (),
    console: Console | None = None,
) -> None:
    """What several studies found, a line each (or the ``findings`` given), and where the index lies."""
    folder = Path(folder)
    if as_json:
        parts = [_as_dict(result, folder / name) for name, result in results]
        content = {"page": str(folder / "index.html"), "findings": [_text(one) for one in findings], "studies": parts}
        sys.stdout.write(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
        return
    console = console or Console(highlight=False)
    lines = [one if isinstance(one, str) else _said(one) for one in findings or opening_findings(results)]
    console.print()
    console.print(_bullets([(line, "") for line in lines]))
    console.print(f"\nwrote {escape(str(folder / 'index.html'))}", soft_wrap=True)


def print_json(result: Result, folder: Path | str) -> None:
    """What ``--json`` prints on standard output, and nothing else there: findings and the paths of the files."""
    sys.stdout.write(json.dumps(_as_dict(result, Path(folder)), indent=1, ensure_ascii=False) + "\n")


def _as_dict(result: Result, folder: Path) -> dict[str, object]:
    """The study, its question, findings with their evidence, and where each file lies."""
    content: dict[str, object] = json.loads(findings_json(result))
    return {
        **content,
        "page": str(folder / "index.html"),
        "results": str(folder / "results.parquet"),
        "files": [str(path) for path in written_files(result, folder)],
    }


def _bullets(lines: Sequence[tuple[str, str]]) -> RichTable:
    """Lines with a bullet each, what is wrapped set in under its text; evidence follows dimly."""
    shown = RichTable.grid(padding=(0, 1))
    shown.add_column(no_wrap=True)
    shown.add_column(overflow="fold")
    for line, proof in lines:
        text = Text(line)
        if proof:
            text.append(f" ({proof})", style="dim")
        shown.add_row(" •", text)
    return shown


def _said(finding: Finding) -> str:
    return ("Warning: " if finding.warning else "") + with_minus(finding.text)


def _unsaid(finding: Finding) -> Finding:
    """What the sentence does not state already: its effect, its interval, its n."""
    left = finding
    whole = finding.effect is not None and float(finding.effect).is_integer()
    places = (0, 1, 2, 3) if whole else (1, 2, 3)
    shown = [f"{abs(finding.effect):.{decimals}f}" for decimals in places] if finding.effect is not None else []
    if any(number in finding.text for number in shown):
        left = replace(left, effect=None)
        left = replace(left, low=None, high=None) if "[" in finding.text else left
    return replace(left, n=None) if "n = " in finding.text else left


def _text(finding: Finding | str) -> str:
    return finding if isinstance(finding, str) else finding.text


def written_files(result: Result, folder: Path) -> list[Path]:
    """The files a reader may want, the page first; only those that are there."""
    tables = [folder / "tables" / f"{name}.csv" for name in result.tables]
    named = [folder / "index.html", folder / "results.parquet", folder / "findings.json", *tables]
    return [path for path in named if path.exists()]


def _terminal_cell(cell: Cell) -> Text:
    text = Text(cell.text, style="bold" if cell.best else "")
    if cell.significant:
        text.append("*")
    if cell.difference:
        style = {True: "blue", False: "dark_orange", None: "dim"}[cell.good]
        text.append(f" {cell.difference}", style=style)
    return text
