"""How ``isogloss data`` shows what it found: a table for people, JSON for programs."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import typer
from rich.table import Table

from isogloss.console import Console, escape
from isogloss.corpora.check import Findings
from isogloss.corpora.inventory import Holding

SHOWN = 6  # labels a line


def show_catalog(holdings: Sequence[Holding], as_json: bool) -> None:
    """The catalog, with what is on this machine."""
    if as_json:
        _print_json([asdict(holding) for holding in holdings])
        return
    table = Table("name", "what", "languages", "licence", "where", box=None, pad_edge=False)
    for holding in holdings:
        found = holding.folder is not None or holding.built_in
        codes = ", ".join(holding.languages[:8]) + (" ..." if len(holding.languages) > 8 else "")
        there = f"{len(holding.languages)} here ({codes}); in all {holding.offered}" if codes else holding.offered
        kinds = ", ".join(holding.kinds)
        table.add_row(
            f"[bold]{holding.name}[/]" if found else holding.name,
            f"{escape(holding.about)} [dim]({kinds})[/]",
            there,
            holding.licence,
            _where(holding),
        )
    Console(width=_width()).print(table)


def _where(holding: Holding) -> str:
    if holding.built_in:
        return "built in"
    if holding.folder is None:
        return f"not here; {holding.command}" if holding.command else "not here"
    problem = f" [red]{escape(holding.problem)}[/]" if holding.problem else ""
    return f"{escape(str(holding.folder))} ({_size(holding.size)}){problem}"


def _size(count: int) -> str:
    return f"{count / 2**20:,.1f} MB" if count >= 2**20 else f"{count / 2**10:,.0f} kB"


def show_findings(name: str, found: Findings, as_json: bool) -> None:
    """What is at a place, and what is wrong with it."""
    if as_json:
        _print_json({"name": name, **asdict(found)})
        return
    console = Console(width=_width())
    revision = f", revision {found.revision}" if found.revision else ""
    console.print(f"[bold]{escape(name)}[/]: {found.kind}{revision}")
    table = Table("language", "part", "records", "words", "labels", box=None, pad_edge=False)
    for line in found.lines:
        labels = ", ".join(f"{label} {count:,}" for label, count in list(line.labels.items())[:SHOWN])
        more = " ..." if len(line.labels) > SHOWN else ""
        words = f"{line.words:,}" if line.words else ""
        table.add_row(escape(line.subject), escape(line.part), f"{line.records:,}", words, escape(labels + more))
    console.print(table)
    for reason, count in found.left_out.items():
        console.print(f"left out: {count:,} {escape(reason)}")
    for problem in found.problems:
        console.print(f"[red]problem[/] {escape(problem)}")
    if not found.problems:
        console.print("[green]nothing wrong[/]")


def _width() -> int | None:
    """The terminal's width; wide where the output goes to a file, so that no path is broken."""
    return None if Console().is_terminal else 200


def _print_json(content: Any) -> None:
    typer.echo(json.dumps(content, ensure_ascii=False, default=str))
