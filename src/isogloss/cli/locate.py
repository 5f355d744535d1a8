"""``isogloss locate``"""

from typing import Annotated

import typer

from isogloss.cli.completion import data_sets, languages, presets
from isogloss.cli.options import Device, Dtype, Langs, Model, ModelOut, Revision, Seed, Seeds
from isogloss.cli.running import Running, with_running


@with_running
def locate(
    model: Model = "",
    preset: Annotated[
        str,
        typer.Option(
            "--preset",
            autocompletion=presets,
            help="Preset: lab, mini or paper (Liang21's run). Default: the paper's sizes on your data.",
        ),
    ] = "",
    data: Annotated[
        str,
        typer.Option(
            "--data",
            autocompletion=data_sets,
            help="Plain text per language: a catalog name, a folder of code.txt files, or lab.",
        ),
    ] = "",
    langs: Langs = "",
    limit: Annotated[int | None, typer.Option("--limit", help="At most this many sentences per language.")] = None,
    shard: Annotated[
        int | None,
        typer.Option("--shard", help="Read text files in shards of this many sentences, in parallel. All are used."),
    ] = None,
    tokens: Annotated[
        int | None, typer.Option("--tokens", help="Tokens per language to fit subspaces and probes on.")
    ] = None,
    layer: Annotated[int | None, typer.Option("--layer", help="Layer to examine closely. -1 is the last one.")] = None,
    methods: Annotated[
        str, typer.Option("--methods", help="Subspace methods: densray, lda or both. The first is shown in figures.")
    ] = "",
    families: Annotated[
        str, typer.Option("--families", help="Families or genera to compare with random groups of languages.")
    ] = "",
    pos: Annotated[
        str,
        typer.Option(
            "--pos", autocompletion=data_sets, help="Treebanks for POS tagging with the language dimensions removed."
        ),
    ] = "",
    ner: Annotated[
        str, typer.Option("--ner", autocompletion=data_sets, help="Named entities for the same test, such as wikiann.")
    ] = "",
    tagging: Annotated[
        bool, typer.Option("--tagging/--no-tagging", help="Run or skip the tagging of the preset.")
    ] = True,
    source: Annotated[str, typer.Option("--source", autocompletion=languages, help="Source language of tagging.")] = "",
    seeds: Seeds = "",
    revision: Revision = None,
    dtype: Dtype = "",
    device: Device = "auto",
    seed: Seed = 0,
    out: ModelOut = None,
    *,
    running: Running,
) -> None:
    """In which dimensions and layers is language identity encoded? DensRay, LDA, probes (Liang21).

    Example: [bold]isogloss locate xlm-roberta-base --data ntrex --langs en,de,nl,ru,uk,sw --seeds 0,1,2[/]
    """
    from isogloss.cli.reading import listed, numbers, run_folder
    from isogloss.studies.locate import STUDY, configure

    config = configure(
        model,
        preset,
        data=data,
        pos=pos,
        ner=ner,
        tagging=tagging,
        families=listed(families),
        languages=listed(langs),
        limit=limit,
        shard=shard,
        tokens=tokens,
        layer=layer,
        methods=listed(methods),
        source=source,
        seeds=numbers(seeds),
        revision=revision,
        dtype=dtype,
        device=device,
        seed=seed,
    )
    running.execute(STUDY, config, out or run_folder("locate", config.model))
