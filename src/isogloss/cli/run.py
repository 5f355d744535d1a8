"""``isogloss run study.yaml``"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from isogloss.cli.running import Running, with_running


@with_running
def run(
    study_file: Annotated[
        Path, typer.Argument(help="Study file (YAML). Any study command prints one with --print-config.")
    ],
    out: Annotated[Path | None, typer.Option("--out", help="Folder for the report. Default: runs/NAME.")] = None,
    *,
    running: Running,
) -> None:
    """Run one or several studies from a study file.

    Example: [bold]isogloss demo --print-config > study.yaml; isogloss run study.yaml --out runs/mine[/]
    """
    from isogloss.runs.config import build, read_study_files
    from isogloss.studies.study import get_study

    files = read_study_files(study_file)
    studies = [(file, get_study(file.study)) for file in files]
    configs = [build(study.config, file.settings, file.lines, file.path) for file, study in studies]
    if not running.opening.trust_remote_code:
        refuse_code(files)
    folder = out or Path("runs") / study_file.stem
    for number, ((file, study), config) in enumerate(zip(studies, configs, strict=True), start=1):
        running.execute(study, config, folder if len(files) == 1 else folder / f"{number}-{file.study}")


def refuse_code(files: Sequence[Any]) -> None:
    """Refuse a study file that would run a model's code, unless the person who runs the file allows that too."""
    from isogloss.errors import IsoglossError

    for file in files:
        if "trust_remote_code=yes" in repr(file.settings):
            raise IsoglossError(
                "this study file runs code that comes with a model",
                where=file.path,
                remedy="read that code first, then add --trust-remote-code",
            )
