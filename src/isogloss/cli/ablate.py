"""``isogloss ablate``"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.options import Device, Engine, Json, PrintConfig, Resume, Workers


def ablate(
    model: Annotated[
        str, typer.Argument(help="A name of the hub, a folder, or lab:families; the preset's by default.")
    ] = "",
    preset: Annotated[str, typer.Option("--preset", help="lab (minutes) or paper (Muller21's sizes).")] = "lab",
    tasks: Annotated[str, typer.Option("--tasks", help="Of the preset's, by name: pos,parsing.")] = "",
    sources: Annotated[str, typer.Option("--sources", help="Fine-tune in each of these: en,ru,ar.")] = "",
    targets: Annotated[str, typer.Option("--targets", help="Test in these; all the test data has by default.")] = "",
    sets: Annotated[
        str, typer.Option("--sets", help="Layers drawn anew: pairs,singles,thirds,quarters,all, or 1-2;3-4.")
    ] = "",
    data: Annotated[str, typer.Option("--data", help="Training data of every task: a catalog name, a path, lab.")] = "",
    test_data: Annotated[str, typer.Option("--test-data", help="Test data, if other than --data.")] = "",
    limit: Annotated[int | None, typer.Option("--limit", help="Training sentences.")] = None,
    test_limit: Annotated[int | None, typer.Option("--test-limit", help="Sentences of other parts.")] = None,
    parallel: Annotated[str | None, typer.Option("--parallel", help="Parallel text; '' for no similarities.")] = None,
    similarity: Annotated[
        str, typer.Option("--similarity", help="CKA, the first is shown: linear, rbf, unbiased, rbf-unbiased.")
    ] = "",
    seeds: Annotated[str, typer.Option("--seeds", help="One fine-tuning each: 0,1,2.")] = "",
    revision: Annotated[str | None, typer.Option("--revision", help="Revision of a model of the hub.")] = None,
    device: Device = "auto",
    out: Annotated[Path, typer.Option("--out", help="Folder for the report.")] = Path("runs/ablate"),
    engine: Engine = "local",
    workers: Workers = 0,
    resume: Resume = True,
    as_json: Json = False,
    print_config: PrintConfig = False,
) -> None:
    """Which pretrained layers carry transfer? Draws some anew, fine-tunes, compares at home and abroad (Muller21).

    Example: [bold]isogloss ablate lab:families --tasks pos --sets pairs,singles --seeds 0,1,2[/]
    """
    from isogloss.cli.execute import execute
    from isogloss.cli.study_options import change, change_setups, listed, numbers
    from isogloss.studies.ablate import STUDY, Config
    from isogloss.studies.preset_files import load_study_preset

    config = change(
        load_study_preset("ablate", preset, Config),
        model=model,
        sources=listed(sources),
        targets=listed(targets),
        sets=listed(sets, ";") if ";" in sets else listed(sets),
        parallel=parallel,
        similarity=listed(similarity),
        seeds=numbers(seeds),
        revision=revision,
        device=device if device != "auto" else "",
    )
    config = change_setups(config, listed(tasks), data=data, test_data=test_data, limit=limit, test_limit=test_limit)
    execute(
        STUDY, config, out,
        engine=engine, workers=workers, as_json=as_json, print_config=print_config, resume=resume,
    )  # fmt: skip
