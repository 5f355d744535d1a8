"""``isogloss glance``"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.options import Seed
from isogloss.cli.running import Running, with_running


@with_running
def glance(
    preset: Annotated[
        str, typer.Option("--preset", help="Languages of the lab: twins, strangers, families; the first two are used.")
    ] = "twins",
    steps: Annotated[int | None, typer.Option("--steps", help="Of pretraining; the lab's usual by default.")] = None,
    sentences: Annotated[int | None, typer.Option("--sentences", help="Of training text per language.")] = None,
    pool: Annotated[int | None, typer.Option("--pool", help="Parallel sentences to find; 500 by default.")] = None,
    seed: Seed = 0,
    out: Annotated[Path, typer.Option("--out", help="Folder for the report.")] = Path("runs/glance"),
    *,
    running: Running,
) -> None:
    """Do two languages meet inside an encoder that never saw a translation? Pretrains a small one and looks.

    Example: [bold]isogloss glance --preset twins --steps 1500[/]
    """
    from isogloss.studies.glance import STUDY, configure

    running.execute(STUDY, configure(preset, steps=steps, sentences=sentences, pool=pool, seed=seed), out)
