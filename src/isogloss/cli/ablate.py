"""``isogloss ablate``"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.completion import data_sets, languages
from isogloss.cli.options import (
    Device,
    Limit,
    Model,
    Out,
    Preset,
    Revision,
    Seeds,
    Targets,
    TaskData,
    Tasks,
    TestData,
    TestLimit,
    VaryPretraining,
)
from isogloss.cli.running import Running, with_running


@with_running
def ablate(
    model: Model = "",
    preset: Preset = "lab",
    tasks: Tasks = "",
    sources: Annotated[
        str,
        typer.Option(
            "--sources",
            autocompletion=languages,
            help="Source languages to fine-tune in, one after another, as in en,ru,ar.",
        ),
    ] = "",
    targets: Targets = "",
    sets: Annotated[
        str,
        typer.Option("--sets", help="Sets of layers to re-initialise: pairs,singles,thirds,quarters,all or 1-2;3-4."),
    ] = "",
    data: TaskData = "",
    test_data: TestData = "",
    limit: Limit = None,
    test_limit: TestLimit = None,
    parallel: Annotated[
        str | None,
        typer.Option(
            "--parallel", autocompletion=data_sets, help="Parallel text to measure similarity on. '' skips similarity."
        ),
    ] = None,
    similarity: Annotated[
        str,
        typer.Option(
            "--similarity", help="Kinds of CKA: linear, rbf, unbiased, rbf-unbiased. The first is shown in figures."
        ),
    ] = "",
    search: Annotated[
        bool,
        typer.Option("--search", help="Search the grid of each task's preset, scored on the source's validation part."),
    ] = False,
    seeds: Seeds = "",
    vary_pretraining: VaryPretraining = False,
    revision: Revision = None,
    device: Device = "auto",
    out: Out = Path("runs/ablate"),
    *,
    running: Running,
) -> None:
    """Which pretrained layers matter for transfer? Re-initialises layers, then fine-tunes (Muller21).

    Example: [bold]isogloss ablate lab:families --tasks pos --sets pairs,singles --seeds 0,1,2[/]
    """
    from isogloss.cli.reading import listed, numbers
    from isogloss.studies.ablate import STUDY, configure

    config = configure(
        model,
        preset,
        tasks=listed(tasks),
        data=data,
        test_data=test_data,
        limit=limit,
        test_limit=test_limit,
        sources=listed(sources),
        targets=listed(targets),
        sets=listed(sets, ";") if ";" in sets else listed(sets),
        parallel=parallel,
        similarity=listed(similarity),
        search=search or None,
        seeds=numbers(seeds),
        vary_pretraining=vary_pretraining or None,
        revision=revision,
        device=device if device != "auto" else "",
    )
    running.execute(STUDY, config, out)
