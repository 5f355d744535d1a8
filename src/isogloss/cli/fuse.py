"""``isogloss fuse``"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.completion import data_sets, languages
from isogloss.cli.options import (
    Compare,
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
def fuse(
    model: Model = "",
    preset: Preset = "lab",
    compare: Compare = None,
    tasks: Tasks = "",
    source: Annotated[
        str, typer.Option("--source", autocompletion=languages, help="Source language to fine-tune in.")
    ] = "",
    targets: Targets = "",
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
    data: TaskData = "",
    test_data: TestData = "",
    limit: Limit = None,
    test_limit: TestLimit = None,
    parallel: Annotated[
        str | None,
        typer.Option(
            "--parallel", autocompletion=data_sets, help="Parallel text to measure cosines on. '' skips cosines."
        ),
    ] = None,
    seeds: Seeds = "",
    vary_pretraining: VaryPretraining = False,
    revision: Revision = None,
    device: Device = "auto",
    out: Out = Path("runs/fuse"),
    *,
    running: Running,
) -> None:
    """Does fusing a lower layer with the last one improve transfer, and which layer? (Chen22)

    Example: [bold]isogloss fuse lab:families --tasks pos --seeds 0,1,2[/]
    """
    from isogloss.cli.reading import listed, numbers
    from isogloss.studies.fuse import STUDY, configure

    config = configure(
        model,
        preset,
        compare=compare or (),
        tasks=listed(tasks),
        data=data,
        test_data=test_data,
        limit=limit,
        test_limit=test_limit,
        source=source,
        targets=listed(targets),
        layers=layers,
        gates=listed(gates),
        ablated=numbers(ablated, "--ablated"),
        parallel=parallel,
        seeds=numbers(seeds),
        vary_pretraining=vary_pretraining or None,
        revision=revision,
        device=device if device != "auto" else "",
    )
    running.execute(STUDY, config, out)
