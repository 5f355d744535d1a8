"""``isogloss fuse``"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.completion import data_sets, languages
from isogloss.cli.fine_tuning import FineTuning
from isogloss.cli.options import Compare, Model, Out
from isogloss.cli.running import Running, with_running


@with_running
def fuse(
    model: Model = "",
    compare: Compare = None,
    source: Annotated[
        str, typer.Option("--source", autocompletion=languages, help="Source language to fine-tune in.")
    ] = "",
    layers: Annotated[
        str, typer.Option("--layers", help="Layers to fuse with the last one: all, 6-11 or 6,8,12.")
    ] = "",
    gates: Annotated[
        str, typer.Option("--gates", help="Variants of the gate (docs/studies/fuse.md). The first is shown in figures.")
    ] = "",
    ablated: Annotated[
        str,
        typer.Option("--ablated", help="Layers also tested with both branches global and both local, as in 6,10."),
    ] = "",
    parallel: Annotated[
        str | None,
        typer.Option(
            "--parallel", autocompletion=data_sets, help="Parallel text to measure cosines on. '' skips cosines."
        ),
    ] = None,
    out: Out = Path("runs/fuse"),
    *,
    tuning: FineTuning,
    running: Running,
) -> None:
    """Does fusing a lower layer with the last one improve transfer, and which layer? (Chen22)

    Example: [bold]isogloss fuse lab:families --tasks pos --seeds 0,1,2[/]
    """
    from isogloss.cli.reading import listed, numbers
    from isogloss.studies.fuse import STUDY, configure

    config = configure(
        model,
        **tuning.given(),
        compare=compare or (),
        source=source,
        layers=layers,
        gates=listed(gates),
        ablated=numbers(ablated, "--ablated"),
        parallel=parallel,
    )
    running.execute(STUDY, config, out)
