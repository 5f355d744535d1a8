"""``isogloss audit``"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.completion import data_sets
from isogloss.cli.options import Device, Dtype, Langs, Models, Out, Revision, Seed, Sentences
from isogloss.cli.running import Running, with_running


@with_running
def audit(
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
    limit: Sentences = 1000,
    revision: Revision = None,
    dtype: Dtype = "auto",
    device: Device = "auto",
    seed: Seed = 0,
    out: Out = Path("runs/audit"),
    *,
    running: Running,
) -> None:
    """Test whether the language of a text biases what a search finds, and which corrections help.

    Example: [bold]isogloss audit intfloat/multilingual-e5-base --prompt 'query: ' --data mine.csv --langs de,fi,sw[/]
    """
    from isogloss.cli.reading import listed
    from isogloss.studies.audit import STUDY, configure

    config = configure(
        tuple(models),
        data=data,
        languages=listed(langs),
        limit=limit,
        revision=revision,
        seed=seed,
        device=device,
        dtype=dtype,
    )
    running.execute(STUDY, config, out)
