"""``isogloss emerge``"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.completion import data_sets, presets
from isogloss.cli.options import Device, Limit, Out, Seeds, TaskData, Tasks, TestData, TestLimit
from isogloss.cli.running import Running, with_running

Text = Annotated[
    str,
    typer.Option(
        "--text", autocompletion=data_sets, help="Plain text: a folder of code.txt files, a file or a catalog name."
    ),
]


@with_running
def emerge(
    preset: Annotated[
        str,
        typer.Option(
            "--preset",
            autocompletion=presets,
            help="Preset: lab (under an hour), mini (real text) or paper (Wu20's sizes).",
        ),
    ] = "lab",
    pairs: Annotated[
        str, typer.Option("--pairs", help="Source-target pairs, as in en-fr,en-ru, or names of the preset's pairs.")
    ] = "",
    conditions: Annotated[
        str,
        typer.Option("--conditions", help="Conditions to run, as in no-anchors,sep-emb. Default: all of the preset."),
    ] = "",
    tasks: Tasks = "",
    text: Text = "",
    target_text: Annotated[
        str, typer.Option("--target-text", help="Plain text of the target language, if it is not in --text.")
    ] = "",
    other_text: Annotated[
        str | None,
        typer.Option("--other-text", help="Target text of another domain, for the condition on domains. '' skips it."),
    ] = None,
    sentences: Annotated[
        int | None, typer.Option("--sentences", help="At most this many sentences per language.")
    ] = None,
    dictionary: Annotated[
        str | None,
        typer.Option(
            "--dictionary",
            autocompletion=data_sets,
            help="Dictionary for the condition with extra anchors. '' skips it.",
        ),
    ] = None,
    data: TaskData = "",
    test_data: TestData = "",
    limit: Limit = None,
    test_limit: TestLimit = None,
    parallel: Annotated[
        str | None,
        typer.Option(
            "--parallel", autocompletion=data_sets, help="Parallel text to measure retrieval on. '' skips retrieval."
        ),
    ] = None,
    recipe: Annotated[
        str, typer.Option("--recipe", help="Pretraining recipe: lab, laptop, paper or a YAML file.")
    ] = "",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Change a setting of the recipe, as in training.steps=500. May be repeated."),
    ] = None,
    search: Annotated[
        bool,
        typer.Option(
            "--search", help="Search the grid of each task's preset. Also reports the mean of the best two settings."
        ),
    ] = False,
    seeds: Seeds = "",
    device: Device = "auto",
    out: Out = Path("runs/emerge"),
    *,
    running: Running,
) -> None:
    """What makes languages align in one encoder: text, vocabulary, shared parameters, relatedness? (Wu20)

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
