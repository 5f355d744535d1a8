"""``isogloss doctor``"""

import sys
from typing import Annotated

import typer


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print the checks as JSON.")] = False,
) -> None:
    """Check this installation, and print what a bug report needs.

    Example: [bold]isogloss doctor[/]
    """
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
