"""``isogloss data``: what data there is, whether it is sound, how to get it, and sets made from it."""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import data_cache, data_lab, data_store
from isogloss.cli.completion import data_sets, languages
from isogloss.cli.options import Json, Seed

app = typer.Typer(help="List, check, download and make data sets.", no_args_is_help=True)
app.command("lab")(data_lab.lab)
app.add_typer(data_cache.app, name="cache")
app.add_typer(data_store.app, name="store")

Name = Annotated[
    str, typer.Argument(autocompletion=data_sets, help="A catalog name (see isogloss data list) or a path.")
]
Langs = Annotated[
    str | None, typer.Option("--langs", autocompletion=languages, help="Languages, separated by commas. Default: all.")
]


def split_codes(text: str | None) -> list[str] | None:
    """``"en,de"`` as a list; None where nothing was named."""
    return [code.strip() for code in text.split(",") if code.strip()] if text else None


@app.command("list")
def list_sets(as_json: Json = False) -> None:
    """List every data set that Isogloss knows by name, its licence, and whether it is on this machine.

    Example: [bold]isogloss data list[/]
    """
    from isogloss.cli.data_tables import show_catalog
    from isogloss.corpora.inventory import inventory

    show_catalog(inventory(), as_json)


@app.command("check")
def check_set(
    name: Name,
    kind: Annotated[
        str | None, typer.Option("--kind", help="Kind of data, such as trees or tagged, if it is not detected.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Check a file, folder or named set: what kind it is, what it contains, and what is wrong with it.

    Example: [bold]isogloss data check my-treebanks/[/]. Exits with code 1 if something is wrong.
    """
    from isogloss.cli.data_tables import show_findings
    from isogloss.corpora.check import check

    found = check(name, kind)
    show_findings(name, found, as_json)
    if found.problems:
        raise typer.Exit(1)


@app.command("get")
def get_set(
    name: Annotated[str, typer.Argument(autocompletion=data_sets, help="A catalog name, such as ud-pud.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Folder of data sets. Default: ISOGLOSS_DATA, otherwise Isogloss's own folder."),
    ] = None,
    langs: Langs = None,
) -> None:
    """Download a data set from the web or the Hugging Face hub. An interrupted download resumes; checksums are kept.

    Example: [bold]isogloss data get ud-pud[/], or [bold]isogloss data get tatoeba-text --langs en,de[/]
    """
    from isogloss.corpora.fetch import fetch

    folder = fetch(name, out, split_codes(langs))
    typer.echo(f"{name} is in {folder}")


@app.command("lid")
def make_lid(
    text: Annotated[
        str,
        typer.Argument(
            autocompletion=data_sets, help="Plain text: a catalog name, lab, or a folder of code.txt files."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="Folder to write to.")],
    langs: Langs = None,
    paragraphs: Annotated[int, typer.Option("--paragraphs", help="Paragraphs per language.", min=12)] = 5_000,
    characters: Annotated[
        int, typer.Option("--characters", help="Skip paragraphs with fewer characters.", min=1)
    ] = 100,
    allow_fewer: Annotated[
        bool, typer.Option("--allow-fewer", help="Keep languages that have fewer paragraphs.")
    ] = False,
    seed: Seed = 0,
) -> None:
    """Make a set for language identification from any text, split 70/10/10/10 into train, valid, dev and test.

    Example: [bold]isogloss data lid tatoeba-text --langs de,en,tr --characters 40 --paragraphs 1000 --out lid[/]
    """
    from isogloss.corpora import load_text
    from isogloss.corpora.lid import LidSettings, build_lid, write_lid

    corpus = load_text(text, split_codes(langs))
    lid = build_lid(corpus, LidSettings(paragraphs, characters, seed, allow_fewer))
    written = write_lid(lid, out)
    sizes = ", ".join(f"{part} {sum(map(len, languages.values())):,}" for part, languages in lid.parts.items())
    left_out = "; ".join(f"{count:,} {reason}" for reason, count in lid.left_out.items()) or "nothing"
    typer.echo(f"{len(corpus.languages)} languages, paragraphs: {sizes}\nleft out: {left_out}")
    typer.echo(f"{len(written)} files written to {out}; load them with load_text('{out}', part='train')")
