"""``isogloss data cache``: hidden states kept on this machine, listed and cleaned."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from isogloss.encoders.cache import Entry

app = typer.Typer(help="Hidden states kept on this machine: list them, clean them.", no_args_is_help=True)


@app.command("list")
def list_entries(
    as_json: Annotated[bool, typer.Option("--json", help="Print the entries as JSON.")] = False,
) -> None:
    """List the hidden states kept on this machine, the last used first.

    Example: [bold]isogloss data cache list[/]
    """
    from rich.table import Table

    from isogloss.console import Console
    from isogloss.encoders.cache import cache_folder, list_cache

    entries = list_cache()
    if as_json:
        _print_json(entries)
        return
    console = Console(highlight=False)
    table = Table("model", "level", "pooling", "numbers", "rows", "layers", "size", "last used", box=None)
    for entry in entries:
        table.add_row(
            entry.about.model, entry.about.level, entry.about.pooling, entry.about.dtype, f"{entry.rows:,}",
            str(len(entry.layers)), size_in_words(entry.bytes), _day(entry.used),
        )  # fmt: skip
    if entries:
        console.print(table)
    total = sum(entry.bytes for entry in entries)
    console.print(f"{len(entries)} entries, {size_in_words(total)}, in {cache_folder()}", soft_wrap=True)


@app.command("clean")
def clean_entries(
    older_than: Annotated[
        float, typer.Option("--older-than", min=0.0, help="Only entries not used for this many days.")
    ] = 0.0,
    model: Annotated[str | None, typer.Option("--model", help="Only entries of this model.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the deleted entries as JSON.")] = False,
) -> None:
    """Delete hidden states kept on this machine; they are computed again when they are needed.

    Example: [bold]isogloss data cache clean --older-than 30[/]
    """
    from isogloss.console import Console
    from isogloss.encoders.cache import clean_cache

    deleted = clean_cache(older_than, model)
    if as_json:
        _print_json(deleted)
        return
    freed = size_in_words(sum(entry.bytes for entry in deleted))
    Console(highlight=False).print(f"{len(deleted)} entries deleted, {freed} freed")


def size_in_words(size: int) -> str:
    """``1536 -> '1.5 kB'``."""
    amount = float(size)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"


def _day(seconds: float) -> str:
    from datetime import datetime

    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M")


def _print_json(entries: "list[Entry]") -> None:
    import json
    from dataclasses import asdict

    sys.stdout.write(json.dumps([asdict(entry) for entry in entries], indent=1, default=str) + "\n")
