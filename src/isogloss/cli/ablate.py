"""``isogloss ablate``"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.completion import data_sets, languages
from isogloss.cli.fine_tuning import FineTuning
from isogloss.cli.options import Model, Out
from isogloss.cli.running import Running, with_running


@with_running
def ablate(
    model: Model = "",
    sources: Annotated[
        str,
        typer.Option(
            "--sources",
            autocompletion=languages,
            help="Source languages to fine-tune in, one after another, as in en,ru,ar.",
        ),
    ] = "",
    sets: Annotated[
        str,
        typer.Option("--sets", help="Sets of layers to re-initialise: pairs,singles,thirds,quarters,all or 1-2;3-4."),
    ] = "",
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
    out: Out = Path("runs/ablate"),
    *,
    tuning: FineTuning,
    running: Running,
) -> None:
    """Which pretrained layers matter for transfer? Re-initialises layers, then fine-tunes (Muller21).

    Example: [bold]isogloss ablate lab:families --tasks pos --sets pairs,singles --seeds 0,1,2[/]
    """
    from isogloss.cli.reading import listed
    from isogloss.studies.ablate import STUDY, configure

    config = configure(
        model,
        **tuning.given(),
        sources=listed(sources),
        sets=listed(sets, ";") if ";" in sets else listed(sets),
        parallel=parallel,
        similarity=listed(similarity),
        search=search or None,
    )
    running.execute(STUDY, config, out)
