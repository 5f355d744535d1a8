"""``isogloss doctor``"""

import sys
from pathlib import Path
from typing import Annotated

import typer


def doctor(
    path: Annotated[
        Path | None, typer.Argument(help="With --store: another store, or a folder laid out like ISOGLOSS_HOME.")
    ] = None,
    store: Annotated[
        bool, typer.Option("--store", help="Read all stored results and hidden states and verify their digests.")
    ] = False,
    repair: Annotated[
        bool, typer.Option("--repair", help="With --store: delete what is damaged or left over.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the checks as JSON.")] = False,
) -> None:
    """Check this installation, and print what a bug report needs.

    Example: [bold]isogloss doctor[/], or [bold]isogloss doctor --store --repair[/]. Exits with code 1 if something
    is missing or damaged.
    """
    if store:
        from isogloss.cli.doctor_store import examine

        if not examine(path, repair, as_json):
            raise typer.Exit(1)
        return
    if path is not None or repair:
        from isogloss.errors import IsoglossError

        raise IsoglossError("a path and --repair need --store", remedy="isogloss doctor --store [PATH] [--repair]")
    import json
    from dataclasses import asdict

    from rich.table import Table

    from isogloss.cli.checks import all_checks
    from isogloss.console import Console, escape

    checks = all_checks()
    if as_json:
        sys.stdout.write(json.dumps([asdict(check) for check in checks], indent=1) + "\n")
    else:
        table = Table.grid(padding=(0, 2))
        for check in checks:
            mark = "[green]ok[/]" if check.good else "[yellow]--[/]" if check.optional else "[bold red]no[/]"
            remedy = "" if check.good else f"  [dim]{escape(check.remedy)}[/]"
            table.add_row(mark, escape(check.subject), f"{escape(check.found)}{remedy}")
        Console(highlight=False).print(table)
    if not all(check.good or check.optional for check in checks):
        raise typer.Exit(1)
