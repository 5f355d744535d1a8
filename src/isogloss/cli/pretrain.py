"""``isogloss pretrain``"""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.completion import data_sets, languages, presets
from isogloss.cli.options import Device
from isogloss.cli.running import Running, with_running

ModelFolder = Annotated[Path, typer.Option("--out", help="Folder for the model. AutoModel opens it.")]
TextData = Annotated[
    str,
    typer.Option(
        "--data",
        autocompletion=data_sets,
        help="Plain text: a folder of code.txt files, a catalog name or lab:families.",
    ),
]
Preset = Annotated[
    str,
    typer.Option(
        "--preset",
        autocompletion=presets,
        help="Preset: lab, lab-causal (minutes), bilingual, mini (an hour), laptop or paper.",
    ),
]
RecipeFile = Annotated[
    Path | None,
    typer.Option("--recipe", help="A YAML recipe or a printed study file, instead of a preset."),
]
Languages = Annotated[
    str,
    typer.Option(
        "--langs",
        autocompletion=languages,
        help="Languages to pretrain on, as in de,en,fi. Default: all languages of the data.",
    ),
]
Sentences = Annotated[int | None, typer.Option("--sentences", help="At most this many sentences per language.", min=2)]
Dictionaries = Annotated[
    list[str] | None,
    typer.Option("--dictionary", help="Dictionary for code-switching, as in en-de=FILE. May be repeated."),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", help="Change a setting of the recipe, as in training.steps=500. May be repeated."),
]
OwnSeed = Annotated[int | None, typer.Option("--seed", help="Seed of every random choice. Default: the recipe's seed.")]


@with_running
def pretrain(
    out: ModelFolder = Path("model"),
    data: TextData = "lab:families",
    preset: Preset = "lab",
    recipe: RecipeFile = None,
    langs: Languages = "",
    sentences: Sentences = None,
    dictionary: Dictionaries = None,
    settings: Settings = None,
    seed: OwnSeed = None,
    device: Device = "auto",
    *,
    running: Running,
) -> None:
    """Pretrain a multilingual language model. Vocabulary, anchors, sharing and more are settings.

    Example: [bold]isogloss pretrain --preset lab --data lab:families --out model[/]
    """
    from isogloss.cli import reading
    from isogloss.pretrain.delivery import deliver
    from isogloss.report import show_in_terminal
    from isogloss.studies.pretrain import STUDY, configure
    from isogloss.studies.pretrain.config import PAGE, check_folder
    from isogloss.studies.study import default_store

    changed = reading.settings(settings)
    changed |= {} if seed is None else {"seed": seed}
    changed |= {} if device == "auto" else {"training.device": device}
    config = configure(
        preset,
        recipe=recipe,
        settings=changed,
        data=data,
        languages=reading.listed(langs),
        sentences=sentences,
        dictionaries={pair: name for pair, _, name in (one.partition("=") for one in dictionary or ())},
    )
    if running.resume and not running.print_config:
        check_folder(out, config)
    answer = running.perform(STUDY, config, out / PAGE)
    if answer is None:
        return
    result, plan = answer
    done = deliver(default_store().sound_folder(plan.conditions[0].model), out)
    page = out / PAGE / "index.html"
    if running.as_json:
        sys.stdout.write(json.dumps({**done.summary(), "page": str(page)}) + "\n")
        return
    for warning in done.warnings:
        typer.echo(f"warning: {warning}", err=True)
    show_in_terminal(result, page.parent)
    typer.echo(f"model: {done.folder}; history: {done.history}")
