"""``isogloss data cache``: hidden states cached on this machine, listed and deleted."""

import re
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.errors import IsoglossError

if TYPE_CHECKING:
    from isogloss.encoders.cache import Entry

UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
SIZE = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)\s*([kmgt]?b|)", re.IGNORECASE)
ToSize = Annotated[
    str | None, typer.Option("--to-size", help="Delete the oldest first until at most this much is left, as in 20GB.")
]

app = typer.Typer(help="List or delete hidden states cached on this machine.", no_args_is_help=True)


@app.command("list")
def list_entries(
    as_json: Annotated[bool, typer.Option("--json", help="Print the entries as JSON.")] = False,
) -> None:
    """List the hidden states cached on this machine, the most recently used first.

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
    to_size: ToSize = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the deleted entries as JSON.")] = False,
) -> None:
    """Delete hidden states cached on this machine. They are recomputed when they are needed.

    Example: [bold]isogloss data cache clean --older-than 30[/]
    """
    from isogloss.console import Console
    from isogloss.encoders.cache import clean_cache

    deleted = clean_cache(older_than, model, read_size(to_size))
    if as_json:
        _print_json(deleted)
        return
    freed = size_in_words(sum(entry.bytes for entry in deleted))
    Console(highlight=False).print(f"{len(deleted)} entries deleted, {freed} freed")


def read_size(text: str | None) -> int | None:
    """``"20GB" -> 20_000_000_000``; None where nothing was given."""
    if text is None:
        return None
    match = SIZE.fullmatch(text.strip())
    if match is None:
        raise IsoglossError(f"'{text}' is not a size", where="--to-size", remedy="write for example 500MB or 20GB")
    return int(float(match[1]) * UNITS[match[2].upper() or "B"])


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
