"""The findings and the main table in the terminal, so that nobody needs a browser on a cluster."""

import json
import sys
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable
from rich.text import Text

from isogloss.report.contexts import evidence
from isogloss.studies.result import Result, Table
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


def print_json(result: Result, folder: Path | str) -> None:
    """What ``--json`` prints on standard output, and nothing else there: findings and the paths of the files."""
    content = json.loads(findings_as_json(result, Path(folder)))
    sys.stdout.write(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def findings_as_json(result: Result, folder: Path) -> str:
    """The study, its question, findings with their evidence, and where each file lies."""
    from isogloss.studies.saved import findings_json

    content = json.loads(findings_json(result))
    content["files"] = [str(path) for path in written_files(result, folder)]
    content["page"] = str(folder / "index.html")
    content["results"] = str(folder / "results.parquet")
    return json.dumps(content)


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
