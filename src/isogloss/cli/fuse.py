"""``isogloss fuse``"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.options import Device, Engine, Json, PrintConfig, Resume, Workers


def fuse(
    model: Annotated[
        str, typer.Argument(help="A name of the hub, a folder, or lab:families; the preset's by default.")
    ] = "",
    preset: Annotated[str, typer.Option("--preset", help="lab (minutes) or paper (Chen22's sizes).")] = "lab",
    compare: Annotated[
        list[str] | None, typer.Option("--compare", help="Another model, side by side; may be repeated.")
    ] = None,
    tasks: Annotated[str, typer.Option("--tasks", help="Of the preset's, by name: nli,pos.")] = "",
    source: Annotated[str, typer.Option("--source", help="Fine-tune in this language.")] = "",
    targets: Annotated[str, typer.Option("--targets", help="Test in these; all the test data has by default.")] = "",
    layers: Annotated[str, typer.Option("--layers", help="Fused with the last one: all, 6-11 or 6,8,12.")] = "",
    gates: Annotated[str, typer.Option("--gates", help="Readings of the equations, the first is shown.")] = "",
    ablated: Annotated[str, typer.Option("--ablated", help="Layers whose branches are taken apart: 6,10.")] = "",
    data: Annotated[str, typer.Option("--data", help="Training data of every task: a catalog name, a path, lab.")] = "",
    test_data: Annotated[str, typer.Option("--test-data", help="Test data, if other than --data.")] = "",
    limit: Annotated[int | None, typer.Option("--limit", help="Training sentences.")] = None,
    test_limit: Annotated[int | None, typer.Option("--test-limit", help="Sentences of other parts.")] = None,
    parallel: Annotated[str | None, typer.Option("--parallel", help="Parallel text; '' for no cosines.")] = None,
    seeds: Annotated[str, typer.Option("--seeds", help="One fine-tuning each: 0,1,2.")] = "",
    revision: Annotated[str | None, typer.Option("--revision", help="Revision of a model of the hub.")] = None,
    device: Device = "auto",
    out: Annotated[Path, typer.Option("--out", help="Folder for the report.")] = Path("runs/fuse"),
    engine: Engine = "local",
    workers: Workers = 0,
    resume: Resume = True,
    as_json: Json = False,
    print_config: PrintConfig = False,
) -> None:
    """Does fusing a lower layer with the last one transfer better, and would one have known which? (Chen22)

    Example: [bold]isogloss fuse lab:families --tasks pos --seeds 0,1,2[/]
    """
    from isogloss.cli.execute import execute
    from isogloss.cli.study_options import change, change_setups, listed, numbers
    from isogloss.studies.fuse import STUDY, Config
    from isogloss.studies.preset_files import load_study_preset

    config = change(
        load_study_preset("fuse", preset, Config),
        models=(model, *(compare or ())) if model else (),
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
    config = change_setups(config, listed(tasks), data=data, test_data=test_data, limit=limit, test_limit=test_limit)
    execute(
        STUDY, config, out,
        engine=engine, workers=workers, as_json=as_json, print_config=print_config, resume=resume,
    )  # fmt: skip
