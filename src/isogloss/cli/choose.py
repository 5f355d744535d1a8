"""``isogloss choose``"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.options import Device, Dtype, Langs, Revision, Seed
from isogloss.cli.running import Running, with_running


@with_running
def choose(
    models: Annotated[
        list[str], typer.Argument(help="Hugging Face model names or model folders. Add settings as in NAME?dim=256.")
    ],
    data: Annotated[
        str, typer.Option("--data", help="Your sentences: a CSV, TSV, JSONL, Parquet or TMX file, a folder, a name.")
    ] = "ntrex",
    langs: Langs = "",
    purpose: Annotated[str, typer.Option("--for", help="What vectors are for: retrieval or classification.")] = (
        "retrieval"
    ),
    limit: Annotated[int, typer.Option("--limit", help="Sentences per language.")] = 1000,
    revision: Revision = None,
    dtype: Dtype = "auto",
    device: Device = "auto",
    seed: Seed = 0,
    out: Annotated[Path, typer.Option("--out", help="Folder for the report.")] = Path("runs/choose"),
    *,
    running: Running,
) -> None:
    """Which model, and which layer of it, for my languages? What cannot be told apart is a tie. No training.

    Example: [bold]isogloss choose intfloat/multilingual-e5-base BAAI/bge-m3 --data mine.csv --langs de,fi,sw[/]
    """
    from isogloss.cli.reading import listed
    from isogloss.studies.choose import STUDY, configure

    config = configure(
        tuple(models),
        data=data,
        languages=listed(langs),
        purpose=purpose,
        limit=limit,
        revision=revision,
        seed=seed,
        device=device,
        dtype=dtype,
    )
    running.execute(STUDY, config, out)
