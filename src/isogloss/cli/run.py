"""``isogloss run study.yaml``"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.options import Engine, Json, PrintConfig, Resume, Workers


def run(
    study_file: Annotated[Path, typer.Argument(help="A study file; any study command prints one with --print-config.")],
    out: Annotated[Path | None, typer.Option("--out", help="Folder for the report; runs/NAME by default.")] = None,
    engine: Engine = "local",
    workers: Workers = 0,
    resume: Resume = True,
    as_json: Json = False,
    print_config: PrintConfig = False,
) -> None:
    """Run any study, or several, from a file.

    Example: [bold]isogloss demo --print-config > study.yaml; isogloss run study.yaml --out runs/mine[/]
    """
    from isogloss.cli.execute import execute
    from isogloss.runs.config import build, read_study_files
    from isogloss.studies.study import get_study

    files = read_study_files(study_file)
    studies = [(file, get_study(file.study)) for file in files]
    configs = [build(study.config, file.settings, file.lines, file.path) for file, study in studies]
    folder = out or Path("runs") / study_file.stem
    for number, ((file, study), config) in enumerate(zip(studies, configs, strict=True), start=1):
        execute(
            study,
            config,
            folder if len(files) == 1 else folder / f"{number}-{file.study}",
            engine=engine,
            workers=workers,
            as_json=as_json,
            print_config=print_config,
            resume=resume,
        )
