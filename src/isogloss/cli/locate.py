"""``isogloss locate``"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.options import Device, Engine, Json, PrintConfig, Resume, Seed, Workers


def locate(
    model: Annotated[
        str, typer.Argument(help="A name of the hub, a model folder, or lab:families; the preset's by default.")
    ] = "",
    preset: Annotated[
        str, typer.Option("--preset", help="lab or paper (Liang21's run); without it the paper's sizes on your data.")
    ] = "",
    data: Annotated[
        str, typer.Option("--data", help="Text by language: a catalog name, a folder of code.txt files, lab.")
    ] = "",
    langs: Annotated[
        str, typer.Option("--langs", help="Languages, e.g. en,de,ru; all that the data has by default.")
    ] = "",
    limit: Annotated[int | None, typer.Option("--limit", help="Sentences read a language.")] = None,
    tokens: Annotated[int | None, typer.Option("--tokens", help="Tokens a language, to fit on.")] = None,
    layer: Annotated[int | None, typer.Option("--layer", help="To look at closely; -1 is the last.")] = None,
    methods: Annotated[str, typer.Option("--methods", help="densray, lda or both, the first leads.")] = "",
    families: Annotated[str, typer.Option("--families", help="Families or genera to set against random ones.")] = "",
    pos: Annotated[str, typer.Option("--pos", help="Treebanks: tag parts of speech without these dimensions.")] = "",
    ner: Annotated[str, typer.Option("--ner", help="Entities: the same for names, e.g. wikiann.")] = "",
    tagging: Annotated[bool, typer.Option("--tagging/--no-tagging", help="Tag at all, where a preset does.")] = True,
    source: Annotated[str, typer.Option("--source", help="Language that tagging is learnt in.")] = "",
    seeds: Annotated[str, typer.Option("--seeds", help="One repetition each: 0,1,2.")] = "",
    revision: Annotated[str | None, typer.Option("--revision", help="Revision of a model of the hub.")] = None,
    dtype: Annotated[str, typer.Option("--dtype", help="auto, float32 or bfloat16.")] = "",
    device: Device = "auto",
    seed: Seed = 0,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for the report; runs/locate-MODEL by default.")
    ] = None,
    engine: Engine = "local",
    workers: Workers = 0,
    resume: Resume = True,
    as_json: Json = False,
    print_config: PrintConfig = False,
) -> None:
    """In which dimensions and layers is the identity of a language stored? DensRay, LDA and three probes (Liang21).

    Example: [bold]isogloss locate xlm-roberta-base --data ntrex --langs en,de,nl,ru,uk,sw --seeds 0,1,2[/]
    """
    from dataclasses import replace

    from isogloss.cli.execute import execute
    from isogloss.cli.study_options import change, listed, numbers
    from isogloss.studies.locate import STUDY
    from isogloss.studies.locate.config import start_from, tagged_with

    config = change(
        start_from(preset, model, data),
        languages=listed(langs),
        limit=limit,
        tokens=tokens,
        layer=layer,
        methods=listed(methods),
        subsets=listed(families),
        source=source,
        seeds=numbers(seeds),
        revision=revision,
        dtype=dtype,
        device=device,
        seed=seed,
    )
    config = tagged_with(config, pos=pos, ner=ner) if tagging else replace(config, tagging=())
    folder = out or Path("runs") / f"locate-{Path(config.model.replace(':', '-')).name}"
    execute(
        STUDY, config, folder,
        engine=engine, workers=workers, as_json=as_json, print_config=print_config, resume=resume,
    )  # fmt: skip
