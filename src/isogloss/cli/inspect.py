"""``isogloss inspect``"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.options import Device, Engine, Json, PrintConfig, Resume, Seed, Workers


def inspect(
    model: Annotated[str, typer.Argument(help="A name of the hub, a model folder, or lab:families (pretrained here).")],
    data: Annotated[
        str, typer.Option("--data", help="Parallel text: a catalog name, a folder of code.txt files, lab.")
    ] = "ntrex",
    langs: Annotated[
        str, typer.Option("--langs", help="Languages, e.g. en,de,ru; all that the data has by default.")
    ] = "",
    limit: Annotated[int, typer.Option("--limit", help="Sentences a language.")] = 500,
    compare: Annotated[
        list[str] | None, typer.Option("--compare", help="Another model, side by side; may be repeated.")
    ] = None,
    alignments: Annotated[
        str, typer.Option("--alignments", help="Gold word alignments: a catalog name, file or folder.")
    ] = "",
    pivot: Annotated[str, typer.Option("--pivot", help="Pivot of MEXA's score; English or the first language.")] = "",
    pooling: Annotated[str, typer.Option("--pooling", help="Sentence vectors: mean, cls, last or weighted.")] = "mean",
    revision: Annotated[str | None, typer.Option("--revision", help="Revision of a model of the hub.")] = None,
    dtype: Annotated[str, typer.Option("--dtype", help="auto, float32 or bfloat16.")] = "auto",
    device: Device = "auto",
    seed: Seed = 0,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for the report; runs/inspect-MODEL by default.")
    ] = None,
    engine: Engine = "local",
    workers: Workers = 0,
    resume: Resume = True,
    as_json: Json = False,
    print_config: PrintConfig = False,
) -> None:
    """Which layer of a model aligns which languages, which lag, and what they share. No training.

    Example: [bold]isogloss inspect xlm-roberta-base --data ntrex --langs en,de,ru,sw,zh[/]
    """
    from isogloss.cli.execute import execute
    from isogloss.studies.inspect import STUDY, Config

    config = Config(
        models=(model, *(compare or ())),
        data=data,
        languages=tuple(code.strip() for code in langs.split(",") if code.strip()),
        limit=limit,
        pivot=pivot,
        alignments=alignments,
        pooling=pooling,
        revision=revision,
        seed=seed,
        device=device,
        dtype=dtype,
    )
    folder = out or Path("runs") / f"inspect-{Path(model.replace(':', '-')).name}"
    execute(
        STUDY, config, folder,
        engine=engine, workers=workers, as_json=as_json, print_config=print_config, resume=resume,
    )  # fmt: skip
