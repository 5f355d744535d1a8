"""``isogloss data lab``: write a lab's languages to a folder."""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.options import Seed
from isogloss.errors import IsoglossError

Preset = Annotated[str, typer.Option("--preset", help="twins, neighbours, strangers or families.")]
LabFolder = Annotated[Path, typer.Option("--out", help="Folder to write to.")]
Sentences = Annotated[
    int, typer.Option("--sentences", help="Sentences of training text a language; nothing else is larger.", min=1)
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", help="A knob, as in --set anchors=0.2 or --set order=SVO,SOV; may be repeated."),
]


def lab(
    out: LabFolder,
    preset: Preset = "families",
    seed: Seed = 0,
    sentences: Sentences = 20_000,
    settings: Settings = None,
) -> None:
    """Write constructed languages in every usual format: text, CoNLL-U, BIO, NLI, paraphrases, parallel, MUSE, CLDF.

    Example: [bold]isogloss data lab --preset families --out lab --set anchors=0.1[/]
    """
    from isogloss.corpora.lab import Lab, Sizes
    from isogloss.corpora.lab.folder import steps
    from isogloss.corpora.lab.names import parse_world
    from isogloss.progress import track

    config = parse_world(preset, seed).config().with_settings(_read(settings or []))
    work = list(steps(Lab(config), out, Sizes.of_text(sentences)))
    for _, write_step in track(work, f"writing {out}"):
        write_step()
    typer.echo(f"{config.languages} languages written to {out}; what they are stands in {out / 'lab.json'}")


def _read(settings: list[str]) -> dict[str, str]:
    pairs = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise IsoglossError(f"'{setting}' sets nothing", where="--set", remedy="write --set knob=value")
        pairs[name.strip()] = value
    return pairs
