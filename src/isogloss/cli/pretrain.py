"""``isogloss pretrain``"""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isogloss.cli import reading
from isogloss.cli.options import Device, Json, Resume, Seed
from isogloss.errors import IsoglossError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from isogloss.corpora.records import Dictionary
    from isogloss.pretrain import Pretrained, Recipe
    from isogloss.pretrain.plain_text import Texts

ModelFolder = Annotated[Path, typer.Option("--out", help="Folder for the model; AutoModel opens it.")]
TextData = Annotated[str, typer.Option("--data", help="A folder of code.txt files, a catalog name, 'lab:families'.")]
Preset = Annotated[
    str, typer.Option("--preset", help="lab, lab-causal (minutes), bilingual, mini (an hour), laptop or paper.")
]
RecipeFile = Annotated[Path | None, typer.Option("--recipe", help="A YAML file instead of a preset.")]
Languages = Annotated[str | None, typer.Option("--langs", help="Only these languages, as in --langs de,en,fi.")]
Sentences = Annotated[int | None, typer.Option("--sentences", help="At most so many sentences a language.", min=2)]
Dictionaries = Annotated[
    list[str] | None,
    typer.Option("--dictionary", help="Switch words of the text by a dictionary: en-de=FILE; may be repeated."),
]
Settings = Annotated[
    list[str] | None, typer.Option("--set", help="A setting, as in --set training.steps=500; may be repeated.")
]
Print = Annotated[bool, typer.Option("--print-config", help="Print the recipe this command stands for, and stop.")]
LAB_SENTENCES = 60_000  # what the lab's languages need to align; the lab itself has no end


def pretrain(
    out: ModelFolder = Path("model"),
    data: TextData = "lab:families",
    preset: Preset = "lab",
    recipe: RecipeFile = None,
    langs: Languages = None,
    sentences: Sentences = None,
    dictionary: Dictionaries = None,
    settings: Settings = None,
    seed: Seed = 0,
    device: Device = "auto",
    resume: Resume = True,
    as_json: Json = False,
    print_config: Print = False,
) -> None:
    """Pretrain a multilingual masked language model; every factor (vocabulary, anchors, sharing, ...) is a switch.

    Example: [bold]isogloss pretrain --preset lab --data lab:families --out model[/]
    """
    from isogloss.pretrain import pretrain as run
    from isogloss.pretrain.processes import Processes

    chosen = _recipe(preset, recipe, {**reading.settings(settings), "seed": seed, "training.device": device})
    if print_config:
        sys.stdout.write(chosen.to_yaml())
        return
    texts = _texts(data, langs.split(",") if langs else None, sentences)
    result = run(chosen, texts, out, resume, [_dictionary(asked, data) for asked in dictionary or []])
    if Processes.join().leads:
        _show(result, chosen, data, as_json)


def _recipe(preset: str, file: Path | None, changes: dict[str, Any]) -> "Recipe":
    from isogloss.pretrain import Recipe

    base = Recipe.preset(preset) if file is None else Recipe.load(file)
    return base.changed_at(changes)


def _texts(data: str, languages: list[str] | None, limit: int | None) -> "Texts":
    from isogloss.corpora import load_text
    from isogloss.corpora.labdata import is_lab

    lab = is_lab(data)
    corpus = load_text(data, languages, "train" if lab else None, limit or (LAB_SENTENCES if lab else None))
    if lab:
        return {code: [sentence.text for sentence in corpus.stream(code)] for code in corpus.languages}

    def start(code: str) -> "Iterator[str]":
        return (sentence.text for sentence in corpus.stream(code))

    return {code: lambda code=code: start(code) for code in corpus.languages}  # type: ignore[misc]


def _dictionary(asked: str, data: str) -> "Dictionary":
    """``en-de=FILE``; without a file, the lab's own dictionary."""
    from isogloss.corpora import load_dictionary

    pair, _, place = asked.partition("=")
    source, dash, target = pair.partition("-")
    if not dash:
        raise IsoglossError(f"'{asked}' names no pair of languages", where="--dictionary", remedy="write en-de=FILE")
    return load_dictionary(place or data, source, target)


def _show(done: "Pretrained", recipe: "Recipe", data: str, as_json: bool) -> None:
    """Write the page of the training curves into the model's folder; say what was learnt."""
    from isogloss.report import show_in_terminal, write_page
    from isogloss.studies.shared.training_curves import training_result

    result = training_result(done, recipe, data)
    page = write_page(result, done.folder / "report")
    if as_json:
        sys.stdout.write(json.dumps({**done.summary(), "page": str(page)}) + "\n")
        return
    for warning in done.warnings:
        typer.echo(f"warning: {warning}", err=True)
    show_in_terminal(result, page.parent)
    typer.echo(f"model: {done.folder}; history: {done.history}")
