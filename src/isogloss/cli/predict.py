"""``isogloss predict``"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.completion import data_sets, languages, presets
from isogloss.cli.options import Device, Dtype, Model, ModelOut, Revision, Seed
from isogloss.cli.running import Running, with_running


@with_running
def predict(
    model: Model = "",
    preset: Annotated[
        str, typer.Option("--preset", autocompletion=presets, help="Preset: lab, or real (NTREX and WALS).")
    ] = "lab",
    task: Annotated[
        str, typer.Option("--task", help="Task to predict, such as pos, if the known scores have several.")
    ] = "",
    measure: Annotated[
        str,
        typer.Option(
            "--measure", help="Measure to predict, such as accuracy or las, if the known scores have several."
        ),
    ] = "",
    source: Annotated[
        str, typer.Option("--source", autocompletion=languages, help="Source language: the one with labels.")
    ] = "",
    targets: Annotated[
        str,
        typer.Option(
            "--targets", autocompletion=languages, help="Languages to predict. Default: all languages of the text."
        ),
    ] = "",
    candidates: Annotated[
        str,
        typer.Option(
            "--candidates",
            autocompletion=languages,
            help="Languages that could be labelled next. Default: the targets.",
        ),
    ] = "",
    data: Annotated[
        str,
        typer.Option(
            "--data", autocompletion=data_sets, help="Parallel text without labels: a catalog name or a path."
        ),
    ] = "",
    limit: Annotated[
        int | None, typer.Option("--limit", help="At most this many sentences per language.", min=1)
    ] = None,
    known: Annotated[
        list[str] | None, typer.Option("--known", help="Known scores: a run of transfer or a table. May be repeated.")
    ] = None,
    typology: Annotated[
        str,
        typer.Option(
            "--typology",
            autocompletion=data_sets,
            help="Typology of the languages: wals, lab:families or a CLDF folder.",
        ),
    ] = "",
    amounts: Annotated[
        str,
        typer.Option("--amounts", help="Amount of pretraining text per language: de=3.1,sw=0.02, or a table."),
    ] = "",
    seed: Seed = 0,
    revision: Revision = None,
    dtype: Dtype = "",
    device: Device = "auto",
    out: ModelOut = None,
    *,
    running: Running,
) -> None:
    """Predict transfer scores for languages without labelled data, with intervals or as a ranking.

    Example: [bold]isogloss predict MODEL --preset real --source en --targets sw,yo,am --known runs/transfer[/]
    """
    from isogloss.cli.reading import amounts_of, listed, run_folder
    from isogloss.corpora.score_tables import read_amounts
    from isogloss.studies.predict import STUDY, configure

    config = configure(
        model,
        preset,
        task=task,
        measure=measure,
        source=source,
        targets=listed(targets),
        candidates=listed(candidates),
        data=data,
        limit=limit,
        known=tuple(known or ()),
        typology=typology,
        amounts=(read_amounts(Path(amounts)) if Path(amounts).is_file() else amounts_of(listed(amounts))) or None,
        seed=seed or None,
        revision=revision,
        dtype=dtype,
        device=device if device != "auto" else "",
    )
    running.execute(STUDY, config, out or run_folder("predict", config.model))
