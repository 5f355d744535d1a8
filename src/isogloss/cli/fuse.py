"""``isogloss fuse``"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.options import Compare, Device, Limit, Model, Revision, Seeds, Targets, TaskData, TestData, TestLimit
from isogloss.cli.running import Running, with_running


@with_running
def fuse(
    model: Model = "",
    preset: Annotated[
        str,
        typer.Option("--preset", help="lab (minutes), mini (real text, a small encoder) or paper (Chen22's sizes)."),
    ] = "lab",
    compare: Compare = None,
    tasks: Annotated[str, typer.Option("--tasks", help="Of the preset's, by name: nli,pos.")] = "",
    source: Annotated[str, typer.Option("--source", help="Fine-tune in this language.")] = "",
    targets: Targets = "",
    layers: Annotated[str, typer.Option("--layers", help="Fused with the last one: all, 6-11 or 6,8,12.")] = "",
    gates: Annotated[str, typer.Option("--gates", help="Readings of the equations, the first is shown.")] = "",
    ablated: Annotated[str, typer.Option("--ablated", help="Layers whose branches are taken apart: 6,10.")] = "",
    data: TaskData = "",
    test_data: TestData = "",
    limit: Limit = None,
    test_limit: TestLimit = None,
    parallel: Annotated[str | None, typer.Option("--parallel", help="Parallel text; '' for no cosines.")] = None,
    seeds: Seeds = "",
    revision: Revision = None,
    device: Device = "auto",
    out: Annotated[Path, typer.Option("--out", help="Folder for the report.")] = Path("runs/fuse"),
    *,
    running: Running,
) -> None:
    """Does fusing a lower layer with the last one transfer better, and would one have known which? (Chen22)

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
        revision=revision,
        device=device if device != "auto" else "",
    )
    running.execute(STUDY, config, out)
