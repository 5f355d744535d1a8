"""``isogloss glance``"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.completion import presets
from isogloss.cli.options import Out, Seed
from isogloss.cli.running import Running, with_running


@with_running
def glance(
    preset: Annotated[
        str,
        typer.Option(
            "--preset",
            autocompletion=presets,
            help="Lab languages: twins, strangers or families. The first two are used.",
        ),
    ] = "twins",
    steps: Annotated[
        int | None, typer.Option("--steps", help="Pretraining steps. Default: as in the lab preset.")
    ] = None,
    sentences: Annotated[
        int | None, typer.Option("--sentences", help="Sentences of training text per language.")
    ] = None,
    pool: Annotated[int | None, typer.Option("--pool", help="Parallel sentences to retrieve. Default: 500.")] = None,
    seed: Seed = 0,
    out: Out = Path("runs/glance"),
    *,
    running: Running,
) -> None:
    """Pretrain a small encoder on two languages without translations, and see whether they align.

    Example: [bold]isogloss glance --preset twins --steps 1500[/]
    """
    from isogloss.studies.glance import STUDY, configure

    running.execute(STUDY, configure(preset, steps=steps, sentences=sentences, pool=pool, seed=seed), out)
