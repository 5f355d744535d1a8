"""``isogloss emerge``"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.options import Device, Limit, Seeds, TaskData, TestData, TestLimit
from isogloss.cli.running import Running, with_running

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
    sentences: Annotated[
        int | None, typer.Option("--sentences", help="At most this many sentences per language.")
    ] = None,
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
    search: Annotated[
        bool,
        typer.Option("--search", help="Try the grid of each task's preset; add the mean of the best two settings."),
    ] = False,
    seeds: Seeds = "",
    device: Device = "auto",
    out: Annotated[Path, typer.Option("--out", help="Folder for the report.")] = Path("runs/emerge"),
    *,
    running: Running,
) -> None:
    """What makes languages meet in one encoder: text, vocabulary, shared parameters, kinship? (Wu20)

    Example: [bold]isogloss emerge --pairs qaa-qac --conditions no-anchors,sep-emb --tasks pos --seeds 0,1,2[/]
    """
    from isogloss.cli import reading
    from isogloss.studies.emerge import STUDY, configure

    config = configure(
        preset,
        pairs=reading.listed(pairs),
        conditions=reading.listed(conditions),
        tasks=reading.listed(tasks),
        text=text,
        target_text=target_text,
        other_text=other_text,
        sentences=sentences,
        dictionary=dictionary,
        data=data,
        test_data=test_data,
        limit=limit,
        test_limit=test_limit,
        parallel=parallel,
        recipe=recipe,
        settings=reading.settings(settings),
        search=search or None,
        seeds=reading.numbers(seeds),
        device=device if device != "auto" else "",
    )
    running.execute(STUDY, config, out)
