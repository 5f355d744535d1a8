"""The findings and the main table in the terminal, so that nobody needs a browser on a cluster."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable
from rich.text import Text

from isogloss.report.contexts import evidence
from isogloss.studies.result import Finding, Result, Table
from isogloss.studies.saved import findings_json
from isogloss.studies.table_layout import Cell, lay_out

MOST_ROWS = 30


def show_in_terminal(result: Result, folder: Path | str, console: Console | None = None) -> None:
    """Print the question, the findings, the first table and the files written."""
    console = console or Console(highlight=False)
    console.print(f"\n[bold]{escape(result.question)}[/]")
    for finding in result.findings:
        proof = evidence(finding)
        console.print(f"  • {escape(finding.text)}" + (f" [dim]({escape(proof)})[/]" if proof else ""))
    if result.tables:
        console.print()
        console.print(terminal_table(next(iter(result.tables.values()))))
    console.print()
    for path in written_files(result, Path(folder)):
        console.print(f"wrote {escape(str(path))}", soft_wrap=True)


def terminal_table(table: Table) -> RichTable:
    """A table as Rich shows it: best in bold, differences signed, long tables cut with a word about it."""
    layout = lay_out(table)
    left_out = len(layout.rows) - MOST_ROWS
    caption = f"{left_out} more rows are in the report" if left_out > 0 else None
    shown = RichTable(title=escape(table.title), title_justify="left", caption=caption, caption_justify="left")
    for head in layout.index:
        shown.add_column(escape(head.replace("_", " ")))
    for head in layout.columns:
        shown.add_column(escape(head.replace("_", " ")), justify="right")
    for row in layout.rows[:MOST_ROWS]:
        shown.add_row(*(Text(name) for name in row.names), *(_terminal_cell(cell) for cell in row.cells))
    return shown


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
    lines = [_text(one) for one in findings] or [f"{n}: {r.findings[0].text}" for n, r in results if r.findings]
    console.print()
    for line in lines:
        console.print(f"  • {escape(line)}")
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
