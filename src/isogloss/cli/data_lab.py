"""``isogloss data lab``: write a lab's languages to a folder."""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.completion import presets
from isogloss.cli.options import Seed
from isogloss.errors import IsoglossError

Preset = Annotated[
    str,
    typer.Option("--preset", autocompletion=presets, help="Lab languages: twins, neighbours, strangers or families."),
]
LabFolder = Annotated[Path, typer.Option("--out", help="Folder to write to.")]
Sentences = Annotated[
    int,
    typer.Option(
        "--sentences", help="Sentences of training text per language. All other parts are at most as large.", min=1
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", help="Change a knob, as in anchors=0.2 or order=SVO,SOV. May be repeated."),
]


def lab(
    out: LabFolder,
    preset: Preset = "families",
    seed: Seed = 0,
    sentences: Sentences = 20_000,
    settings: Settings = None,
) -> None:
    """Write lab languages to files: text, CoNLL-U, BIO, NLI, paraphrases, parallel text, MUSE, CLDF.

    Example: [bold]isogloss data lab --preset families --out lab --set anchors=0.1[/]
    """
    from isogloss.corpora.lab import Lab, Sizes
    from isogloss.corpora.lab.folder import steps
    from isogloss.corpora.lab.names import parse_world
    from isogloss.progress import track

    config = parse_world(preset.removeprefix("lab:"), seed).config().with_settings(_read(settings or []))
    work = list(steps(Lab(config), out, Sizes.of_text(sentences)))
    for _, write_step in track(work, f"writing {out}"):
        write_step()
    typer.echo(f"{config.languages} languages written to {out}; they are described in {out / 'lab.json'}")


def _read(settings: list[str]) -> dict[str, str]:
    pairs = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise IsoglossError(f"'{setting}' is not KNOB=VALUE", where="--set", remedy="write --set knob=value")
        pairs[name.strip()] = value
    return pairs
