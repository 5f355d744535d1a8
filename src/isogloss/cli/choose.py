"""``isogloss choose``"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.completion import data_sets
from isogloss.cli.options import Device, Dtype, Langs, Models, Out, Revision, Seed, Sentences
from isogloss.cli.running import Running, with_running


@with_running
def choose(
    models: Models,
    data: Annotated[
        str,
        typer.Option(
            "--data",
            autocompletion=data_sets,
            help="Parallel text: a CSV, TSV, JSONL, Parquet or TMX file, a folder or a catalog name.",
        ),
    ] = "ntrex",
    langs: Langs = "",
    purpose: Annotated[str, typer.Option("--for", help="What the vectors are for: retrieval or classification.")] = (
        "retrieval"
    ),
    limit: Sentences = 1000,
    revision: Revision = None,
    dtype: Dtype = "auto",
    device: Device = "auto",
    seed: Seed = 0,
    out: Out = Path("runs/choose"),
    *,
    running: Running,
) -> None:
    """Compare models and their layers on your languages. Differences within the noise count as ties.

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
