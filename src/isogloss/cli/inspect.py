"""``isogloss inspect``"""

from typing import Annotated

import typer

from isogloss.cli.options import Compare, Device, Dtype, Langs, ModelOut, Revision, Seed
from isogloss.cli.running import Running, with_running


@with_running
def inspect(
    model: Annotated[
        str, typer.Argument(help="A Hugging Face model name, a model folder, or lab:families (pretrained on the spot).")
    ],
    data: Annotated[
        str, typer.Option("--data", help="Parallel text: a catalog name, a folder of code.txt files, lab.")
    ] = "ntrex",
    langs: Langs = "",
    limit: Annotated[int, typer.Option("--limit", help="Sentences per language.")] = 500,
    compare: Compare = None,
    alignments: Annotated[
        str, typer.Option("--alignments", help="Gold word alignments: a catalog name, file or folder.")
    ] = "",
    measures: Annotated[str, typer.Option("--measures", help="Measures of a --plugin, by name: spread,hubness.")] = "",
    pivot: Annotated[str, typer.Option("--pivot", help="Pivot of MEXA's score; English or the first language.")] = "",
    pooling: Annotated[
        str, typer.Option("--pooling", help="Of layers: own (a pipeline's, or the mean), mean, cls, last, weighted.")
    ] = "own",
    revision: Revision = None,
    dtype: Dtype = "auto",
    device: Device = "auto",
    seed: Seed = 0,
    out: ModelOut = None,
    *,
    running: Running,
) -> None:
    """Which layer of a model aligns which languages, which lag, and what they share. No training.

    Example: [bold]isogloss inspect xlm-roberta-base --data ntrex --langs en,de,ru,sw,zh[/]
    """
    from isogloss.cli.reading import listed, run_folder
    from isogloss.studies.inspect import STUDY, configure

    config = configure(
        model,
        compare=tuple(compare or ()),
        data=data,
        languages=listed(langs),
        limit=limit,
        measures=listed(measures),
        pivot=pivot,
        alignments=alignments,
        pooling=pooling,
        revision=revision,
        seed=seed,
        device=device,
        dtype=dtype,
    )
    running.execute(STUDY, config, out or run_folder("inspect", model))
