"""``isogloss verify RUN``"""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isogloss.cli.options import Json, Seed

if TYPE_CHECKING:
    from isogloss.runs import Store
    from isogloss.studies.plan import StudyPlan
    from isogloss.studies.study import Study


def verify(
    run: Annotated[Path, typer.Argument(help="Folder that a study wrote with --out.")],
    sample: Annotated[
        int | None, typer.Option("--sample", min=1, help="Number of cells to compute again. Default: all.")
    ] = None,
    tolerance: Annotated[
        float, typer.Option("--tolerance", min=0.0, help="Largest relative difference that counts as equal.")
    ] = 1e-4,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Recompute cells of a finished run, and check that every number is reproduced.

    First the records of the run are compared with the store. Then cells, drawn by the seed, are computed once more
    from their inputs, beside the store. The exit code is 1 where a number differs by more than the tolerance.

    Example: [bold]isogloss verify runs/mine --sample 3[/]
    """
    import tempfile

    from isogloss.progress import track
    from isogloss.runs.config import build, read_study_files
    from isogloss.runs.verify import choose_cells, compute_again
    from isogloss.studies.study import default_store, get_study

    file = read_study_files(run / "study.yaml")[0]
    study, store = get_study(file.study), default_store()
    plan = study.plan(build(study.config, file.settings, file.lines, file.path))
    records = compare_records(run, study, plan, store)
    chosen = choose_cells(plan.all_cells, sample, seed)
    with tempfile.TemporaryDirectory(prefix="isogloss-verify-") as scratch:
        found = [compute_again(cell, store, Path(scratch)) for cell in track(chosen, "computing again")]
    different = [one for one in found if not one.same(tolerance)]
    if as_json:
        content = {
            "records": records,
            "tolerance": tolerance,
            "same": not different and records == "same",
            "cells": [
                {"label": one.label, "key": one.key, "same": one.same(tolerance), "values": one.numbers}
                | {"largest": min(one.largest, sys.float_info.max), "where": one.where, "failure": one.failure}
                for one in found
            ],
        }
        sys.stdout.write(json.dumps(content, ensure_ascii=False, indent=1) + "\n")
    else:
        typer.echo(f"records of {run}: {records}")
        for one in found:
            typer.echo(one.describe(tolerance))
        came = len(found) - len(different)
        typer.echo(
            f"{came} of {len(found)} cells computed again come out within {tolerance:g} "
            f"(of {len(plan.all_cells)} cells in all)"
        )
    if different or records != "same":
        raise typer.Exit(1)


def compare_records(run: Path, study: "Study[Any, Any]", plan: "StudyPlan[Any, Any]", store: "Store") -> str:
    """``same``, or in what the run's saved records differ from what the stored cells give now."""
    from isogloss.runs.verify import relative_gap
    from isogloss.studies.result import Result
    from isogloss.studies.study import Results

    saved = Result.load(run).records
    now = study.summarise(plan, Results(store)).records
    if saved.shape != now.shape or list(saved.columns) != list(now.columns):
        return f"{len(saved)} rows saved, {len(now)} rows by the store: the code that reads the cells has changed"
    gap = relative_gap(saved["value"].to_numpy(dtype=float), now["value"].to_numpy(dtype=float))
    return "same" if gap <= 1e-9 else f"different by up to {gap:.2g}: the code that reads the cells has changed"
