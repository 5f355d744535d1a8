"""``isogloss locate``"""

from typing import Annotated

import typer

from isogloss.cli.options import Device, Dtype, Langs, Model, ModelOut, Revision, Seed, Seeds
from isogloss.cli.running import Running, with_running


@with_running
def locate(
    model: Model = "",
    preset: Annotated[
        str,
        typer.Option("--preset", help="lab, mini or paper (Liang21's run); without it the paper's sizes on your data."),
    ] = "",
    data: Annotated[
        str, typer.Option("--data", help="Text by language: a catalog name, a folder of code.txt files, lab.")
    ] = "",
    langs: Langs = "",
    limit: Annotated[int | None, typer.Option("--limit", help="Sentences read per language.")] = None,
    shard: Annotated[
        int | None,
        typer.Option("--shard", help="Read text files in parts of this many sentences, side by side; fit on all."),
    ] = None,
    tokens: Annotated[int | None, typer.Option("--tokens", help="Tokens per language to fit on.")] = None,
    layer: Annotated[int | None, typer.Option("--layer", help="To look at closely; -1 is the last.")] = None,
    methods: Annotated[str, typer.Option("--methods", help="densray, lda or both, the first leads.")] = "",
    families: Annotated[str, typer.Option("--families", help="Families or genera to set against random ones.")] = "",
    pos: Annotated[str, typer.Option("--pos", help="Treebanks: tag parts of speech without these dimensions.")] = "",
    ner: Annotated[str, typer.Option("--ner", help="Entities: the same for names, e.g. wikiann.")] = "",
    tagging: Annotated[bool, typer.Option("--tagging/--no-tagging", help="Tag at all, where a preset does.")] = True,
    source: Annotated[str, typer.Option("--source", help="Language that tagging is learnt in.")] = "",
    seeds: Seeds = "",
    revision: Revision = None,
    dtype: Dtype = "",
    device: Device = "auto",
    seed: Seed = 0,
    out: ModelOut = None,
    *,
    running: Running,
) -> None:
    """In which dimensions and layers is the identity of a language stored? DensRay, LDA and three probes (Liang21).

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
