"""``isogloss emerge``"""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isogloss.cli import reading
from isogloss.cli.options import Device, Limit, Seeds, TaskData, TestData, TestLimit
from isogloss.cli.running import Running, with_running
from isogloss.errors import IsoglossError

if TYPE_CHECKING:
    from isogloss.studies.emerge import Config

Text = Annotated[str, typer.Option("--text", help="Plain text: a folder of code.txt files, a file, a catalog name.")]


@with_running
def emerge(
    preset: Annotated[
        str, typer.Option("--preset", help="lab (under an hour), mini (real text) or paper (Wu20's sizes).")
    ] = "lab",
    pairs: Annotated[str, typer.Option("--pairs", help="Source and target: en-fr,en-ru; or the preset's.")] = "",
    conditions: Annotated[str, typer.Option("--conditions", help="Only these: no-anchors,sep-emb. See docs.")] = "",
    tasks: Annotated[str, typer.Option("--tasks", help="Of the preset's, by name: nli,ner,parsing,pos.")] = "",
    text: Text = "",
    target_text: Annotated[str, typer.Option("--target-text", help="The target's text, if it lies elsewhere.")] = "",
    other_text: Annotated[
        str | None, typer.Option("--other-text", help="The target's text of another domain; '' for no such condition.")
    ] = None,
    sentences: Annotated[int | None, typer.Option("--sentences", help="At most so many sentences a language.")] = None,
    dictionary: Annotated[
        str | None, typer.Option("--dictionary", help="Translations for extra anchors; '' for no such condition.")
    ] = None,
    data: TaskData = "",
    test_data: TestData = "",
    limit: Limit = None,
    test_limit: TestLimit = None,
    parallel: Annotated[str | None, typer.Option("--parallel", help="Parallel text; '' for no retrieval.")] = None,
    recipe: Annotated[str, typer.Option("--recipe", help="Pretraining: lab, laptop, paper, or a YAML file.")] = "",
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="A setting of it: --set training.steps=500; may be repeated.")
    ] = None,
    seeds: Seeds = "",
    device: Device = "auto",
    out: Annotated[Path, typer.Option("--out", help="Folder for the report.")] = Path("runs/emerge"),
    *,
    running: Running,
) -> None:
    """What makes languages meet in one encoder: text, vocabulary, shared parameters, kinship? (Wu20)

    Example: [bold]isogloss emerge --pairs qaa-qac --conditions no-anchors,sep-emb --tasks pos --seeds 0,1,2[/]
    """
    from isogloss.cli.reading import listed, numbers
    from isogloss.studies.emerge import STUDY, Config
    from isogloss.studies.shared.options import change, change_setups
    from isogloss.studies.shared.study_presets import load_study_preset

    config = change(
        load_study_preset("emerge", preset, Config),
        conditions=listed(conditions),
        sentences=sentences,
        recipe=recipe,
        seeds=numbers(seeds),
        device=device if device != "auto" else "",
    )
    config = replace(config, settings={**config.settings, **reading.settings(settings)})
    texts = {"text": text or None, "target_text": target_text or None, "other_text": other_text}
    config = _with_data(_with_pairs(config, listed(pairs)), {**texts, "dictionary": dictionary, "parallel": parallel})
    if data or test_data:
        config = _without_own_data(config)
    config = change_setups(config, listed(tasks), data=data, test_data=test_data, limit=limit, test_limit=test_limit)
    running.execute(STUDY, config, out)


def _with_pairs(config: "Config", asked: tuple[str, ...]) -> "Config":
    """The preset's pairs that were named (by name, or ``source-target``), and new ones."""
    from isogloss.studies.emerge import Pair

    known = {f"{pair.source}-{pair.target}": pair for pair in reversed(config.pairs)}  # of two, the first
    known |= {pair.label: pair for pair in config.pairs}
    chosen = []
    for name in asked:
        source, dash, target = name.partition("-")
        if name not in known and not (dash and source and target):
            remedy = f"as in --pairs en-fr, or one of the preset's: {', '.join(pair.label for pair in config.pairs)}"
            raise IsoglossError(f"'{name}' names no pair of languages", where="--pairs", remedy=remedy)
        chosen.append(known.get(name) or Pair(source, target))
    return replace(config, pairs=tuple(chosen)) if chosen else config


def _with_data(config: "Config", given: dict[str, str | None]) -> "Config":
    """Other data for all pairs, also for those that had their own.

    With new text, what belonged to the old (another domain, a dictionary, translations) stays only where it is named.
    """
    from isogloss.corpora.labdata import is_lab

    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if "text" in changes:
        changes = {"target_text": "", "other_text": "", "dictionary": "", "parallel": "", **changes}
    if not changes:
        return config
    pools = config.pools if is_lab(changes.get("parallel", config.parallel)) else ("",)
    nothing: dict[str, Any] = dict.fromkeys(changes, "")
    pairs = tuple(replace(pair, **nothing) for pair in config.pairs)
    return replace(config, pairs=pairs, pools=pools, **changes)


def _without_own_data(config: "Config") -> "Config":
    """Pairs that learn and are tested on the tasks' data."""
    return replace(config, pairs=tuple(replace(pair, data={}, test_data={}) for pair in config.pairs))
