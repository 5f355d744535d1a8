"""``isogloss preserve``"""

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
def preserve(
    model: Model = "",
    preset: Preset = "lab",
    tasks: Tasks = "",
    sources: Annotated[
        str,
        typer.Option(
            "--sources",
            autocompletion=languages,
            help="Source languages to fine-tune in, as in en,en+de+zh. + trains on several together.",
        ),
    ] = "",
    targets: Targets = "",
    layers: Annotated[
        str,
        typer.Option(
            "--layers", help="Sets of layers that L-DAR keeps in place: all,fours,pairs,thirds or all;1-4;9-12."
        ),
    ] = "",
    subspaces: Annotated[
        str, typer.Option("--subspaces", help="Subspace methods: densray, lda or both. The first is shown in figures.")
    ] = "",
    alphas: Annotated[
        str, typer.Option("--alphas", help="Weights of the penalty to choose from, as in 0.005,0.02.")
    ] = "",
    texts: Annotated[
        str,
        typer.Option(
            "--texts", autocompletion=data_sets, help="Plain text of many languages, to find the language subspace on."
        ),
    ] = "",
    text_languages: Annotated[
        str, typer.Option("--text-langs", autocompletion=languages, help="Languages of --texts to use. Default: all.")
    ] = "",
    tokens: Annotated[int | None, typer.Option("--tokens", help="Tokens per language to find the subspace on.")] = None,
    data: TaskData = "",
    test_data: TestData = "",
    limit: Limit = None,
    test_limit: TestLimit = None,
    seeds: Seeds = "",
    vary_pretraining: VaryPretraining = False,
    revision: Revision = None,
    device: Device = "auto",
    out: Out = Path("runs/preserve"),
    *,
    running: Running,
) -> None:
    """Does keeping language-specific states in place during fine-tuning help transfer? (Liang21)

    Example: [bold]isogloss preserve lab:families --tasks pos --sources qaa --alphas 0.05,0.5 --seeds 0,1,2[/]
    """
    from isogloss.cli.reading import fractions, listed, numbers
    from isogloss.studies.preserve import STUDY, configure

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
        layers=listed(layers, ";") if ";" in layers else listed(layers),
        subspaces=listed(subspaces),
        alphas=fractions(alphas, "--alphas"),
        texts=texts,
        text_languages=listed(text_languages),
        tokens=tokens,
        seeds=numbers(seeds),
        vary_pretraining=vary_pretraining or None,
        revision=revision,
        device=device if device != "auto" else "",
    )
    running.execute(STUDY, config, out)
