"""How ``isogloss data`` shows what it found: a table for people, JSON for programs."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from textwrap import wrap
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
    console = Console()
    indent = max(len(holding.name) for holding in holdings) + 2
    for holding in holdings:
        found = holding.folder is not None or holding.built_in
        lines = wrap(f"{holding.about}. {_facts(holding)}", max(40, console.width - indent), break_on_hyphens=False)
        name = holding.name.ljust(indent)
        console.print(f"[bold]{name}[/]{escape(lines[0])}" if found else f"{name}{escape(lines[0])}", soft_wrap=True)
        for line in lines[1:]:
            console.print(f"{' ' * indent}[dim]{escape(line)}[/]", soft_wrap=True)
        console.print(f"{' ' * indent}{_where(holding)}", soft_wrap=True)  # a path stays whole


def _facts(holding: Holding) -> str:
    """Kinds of data, languages here and in all, licence."""
    codes = ", ".join(holding.languages[:8]) + (" ..." if len(holding.languages) > 8 else "")
    here = f"{len(holding.languages)} here ({codes}), in all " if codes else ""
    return f"Data: {', '.join(holding.kinds)}. Languages: {here}{holding.offered}. Licence: {holding.licence}."


def _where(holding: Holding) -> str:
    if holding.built_in:
        return "built in"
    if holding.folder is None:
        return f"not on this machine; [bold]{holding.command}[/]" if holding.command else "not on this machine"
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
        console.print("[green]no problems found[/]")


def _width() -> int | None:
    """The terminal's width; wide where the output goes to a file, so that no path is broken."""
    return None if Console().is_terminal else 200


def _print_json(content: Any) -> None:
    typer.echo(json.dumps(content, ensure_ascii=False, default=str))
