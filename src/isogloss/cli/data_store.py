"""``isogloss data store``: results stored on this machine, listed and deleted."""

import sys
from typing import Annotated

import typer

from isogloss.cli.data_cache import ToSize, read_size, size_in_words
from isogloss.cli.options import Json

app = typer.Typer(help="List or delete results stored on this machine.", no_args_is_help=True)


@app.command("list")
def list_results(as_json: Json = False) -> None:
    """List the stored results by study and kind, with their size and age.

    Example: [bold]isogloss data store list[/]
    """
    import json

    from rich.table import Table

    from isogloss.cli.doctor_store import days_ago
    from isogloss.console import Console, escape
    from isogloss.runs.audit import audit
    from isogloss.studies.study import default_store

    found = audit(default_store().root, thorough=False)
    groups: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for one in found.results:
        groups.setdefault((one.study or "(older version)", one.cell), []).append((one.bytes, one.created))
    rows = [
        {"study": study, "cell": cell, "results": len(members), "bytes": sum(size for size, _ in members),
         "oldest": min(made for _, made in members)}
        for (study, cell), members in sorted(groups.items())
    ]  # fmt: skip
    if as_json:
        sys.stdout.write(json.dumps(rows, indent=1) + "\n")
        return
    table = Table("study", "cell", "results", "size", "oldest", box=None)
    for row in rows:
        table.add_row(
            escape(str(row["study"])), escape(str(row["cell"])), f"{row['results']:,}",
            size_in_words(int(str(row["bytes"]))), days_ago(float(str(row["oldest"]))),
        )  # fmt: skip
    console = Console()
    if rows:
        console.print(table)
    text = f"{len(found.results):,} results, {size_in_words(found.bytes)}, in {found.root}"
    console.print(escape(text), soft_wrap=True)


@app.command("clean")
def clean_results(
    older_than: Annotated[
        float, typer.Option("--older-than", min=0.0, help="Only results computed at least this many days ago.")
    ] = 0.0,
    study: Annotated[str | None, typer.Option("--study", help="Only results that runs of this study computed.")] = None,
    to_size: ToSize = None,
    as_json: Json = False,
) -> None:
    """Delete results stored on this machine, the oldest first. They are recomputed when they are needed.

    Example: [bold]isogloss data store clean --older-than 30 --to-size 20GB[/]
    """
    import json

    from isogloss.console import Console
    from isogloss.errors import IsoglossError
    from isogloss.runs.audit import audit, prune
    from isogloss.studies.study import default_store

    size = read_size(to_size)
    if not older_than and study is None and size is None:
        raise IsoglossError(
            "this would delete every result", remedy="say which: --older-than DAYS, --study NAME or --to-size 20GB"
        )
    store = default_store()
    store.require_writable()
    gone = prune(audit(store.root, thorough=False), older_than_days=older_than, study=study, to_bytes=size)
    freed = sum(one.bytes for one in gone)
    if as_json:
        sys.stdout.write(json.dumps({"deleted": [one.key for one in gone], "bytes": freed}) + "\n")
    else:
        Console().print(f"{len(gone):,} results deleted, {size_in_words(freed)} freed")
