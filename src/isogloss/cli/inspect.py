"""``isogloss inspect``"""

from typing import Annotated

import typer

from isogloss.cli.completion import data_sets, languages
from isogloss.cli.options import Compare, Device, Dtype, Langs, ModelOut, Revision, Seed
from isogloss.cli.running import Running, with_running


@with_running
def inspect(
    model: Annotated[
        str, typer.Argument(help="A Hugging Face model name, a model folder, or lab:families (pretrained when needed).")
    ],
    data: Annotated[
        str,
        typer.Option(
            "--data",
            autocompletion=data_sets,
            help="Parallel text: a catalog name, a folder of code.txt files, or lab.",
        ),
    ] = "ntrex",
    langs: Langs = "",
    limit: Annotated[int, typer.Option("--limit", help="At most this many sentences per language.")] = 500,
    compare: Compare = None,
    alignments: Annotated[
        str,
        typer.Option(
            "--alignments", autocompletion=data_sets, help="Gold word alignments: a catalog name, a file or a folder."
        ),
    ] = "",
    measures: Annotated[
        str, typer.Option("--measures", help="Measures defined by a --plugin, by name, as in spread,hubness.")
    ] = "",
    pivot: Annotated[
        str,
        typer.Option(
            "--pivot",
            autocompletion=languages,
            help="Pivot language of MEXA. Default: English, otherwise the first language.",
        ),
    ] = "",
    pooling: Annotated[
        str,
        typer.Option(
            "--pooling", help="Pooling of layers: own (the model's, otherwise the mean), mean, cls, last or weighted."
        ),
    ] = "own",
    revision: Revision = None,
    dtype: Dtype = "auto",
    device: Device = "auto",
    seed: Seed = 0,
    out: ModelOut = None,
    *,
    running: Running,
) -> None:
    """Measure a model layer by layer: which languages align, which lag behind, what they share.

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
