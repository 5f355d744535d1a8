"""``isogloss predict``"""

from typing import Annotated

import typer

from isogloss.cli.options import Device, Dtype, Model, ModelOut, Revision, Seed
from isogloss.cli.running import Running, with_running


@with_running
def predict(
    model: Model = "",
    preset: Annotated[str, typer.Option("--preset", help="lab, or real (NTREX and WALS).")] = "lab",
    task: Annotated[str, typer.Option("--task", help="Of the known scores, where they are of several: pos.")] = "",
    measure: Annotated[str, typer.Option("--measure", help="Of the known scores: accuracy, las.")] = "",
    source: Annotated[str, typer.Option("--source", help="The language that has labels.")] = "",
    targets: Annotated[str, typer.Option("--targets", help="Languages asked about; all of the text by default.")] = "",
    candidates: Annotated[str, typer.Option("--candidates", help="Might be labelled; the targets by default.")] = "",
    data: Annotated[str, typer.Option("--data", help="Parallel text without labels: a name or path.")] = "",
    limit: Annotated[int | None, typer.Option("--limit", help="Sentences.", min=1)] = None,
    known: Annotated[
        list[str] | None, typer.Option("--known", help="A run of transfer, or a table of scores; may be repeated.")
    ] = None,
    typology: Annotated[str, typer.Option("--typology", help="wals, lab:families, or a CLDF folder.")] = "",
    seed: Seed = 0,
    revision: Revision = None,
    dtype: Dtype = "",
    device: Device = "auto",
    out: ModelOut = None,
    *,
    running: Running,
) -> None:
    """How well will a model transfer to languages that nobody has labelled? Scores with intervals, or a ranking.

    Example: [bold]isogloss predict MODEL --preset real --source en --targets sw,yo,am --known runs/transfer[/]
    """
    from isogloss.cli.reading import listed, run_folder
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
        seed=seed or None,
        revision=revision,
        dtype=dtype,
        device=device if device != "auto" else "",
    )
    running.execute(STUDY, config, out or run_folder("predict", config.model))
