"""``isogloss preserve``"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.completion import data_sets, languages
from isogloss.cli.fine_tuning import FineTuning
from isogloss.cli.options import Model, Out
from isogloss.cli.running import Running, with_running


@with_running
def preserve(
    model: Model = "",
    sources: Annotated[
        str,
        typer.Option(
            "--sources",
            autocompletion=languages,
            help="Source languages to fine-tune in, as in en,en+de+zh. + trains on several together.",
        ),
    ] = "",
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
    out: Out = Path("runs/preserve"),
    *,
    tuning: FineTuning,
    running: Running,
) -> None:
    """Does keeping language-specific states in place during fine-tuning help transfer? (Liang21)

    Example: [bold]isogloss preserve lab:families --tasks pos --sources qaa --alphas 0.05,0.5 --seeds 0,1,2[/]
    """
    from isogloss.cli.reading import fractions, listed
    from isogloss.studies.preserve import STUDY, configure

    config = configure(
        model,
        **tuning.given(),
        sources=listed(sources),
        layers=listed(layers, ";") if ";" in layers else listed(layers),
        subspaces=listed(subspaces),
        alphas=fractions(alphas, "--alphas"),
        texts=texts,
        text_languages=listed(text_languages),
        tokens=tokens,
    )
    running.execute(STUDY, config, out)
