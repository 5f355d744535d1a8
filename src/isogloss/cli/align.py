"""``isogloss align``: can encoders that were trained apart be aligned?"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.options import Device
from isogloss.cli.running import Running, with_running


@with_running
def align(
    model: Annotated[
        list[str] | None,
        typer.Argument(metavar="[LANG=MODEL]...", help="An encoder a language, the source's first: a folder or name."),
    ] = None,
    bilingual: Annotated[
        list[str] | None,
        typer.Option("--bilingual", metavar="LANG=MODEL", help="Encoder of the source and this target."),
    ] = None,
    again: Annotated[str, typer.Option("--again", help="A second encoder of the source language.")] = "",
    preset: Annotated[
        str, typer.Option("--preset", help="Where settings start from: lab, mini (real text) or paper.")
    ] = "lab",
    targets: Annotated[str, typer.Option("--targets", help="Target languages, as in qab,qac.")] = "",
    text: Annotated[
        str | None, typer.Option("--text", help="Plain text by language: to pretrain and read words in.")
    ] = None,
    steps: Annotated[int | None, typer.Option("--steps", help="Pretraining steps of a monolingual encoder.")] = None,
    dictionary: Annotated[
        str | None, typer.Option("--dictionary", help="Word translations: a file or name; '' for none.")
    ] = None,
    vectors: Annotated[
        list[str] | None, typer.Option("--vectors", metavar="LANG=FILE", help="Word vectors (.vec) as the baseline.")
    ] = None,
    alignments: Annotated[
        str | None, typer.Option("--alignments", help="Gold word alignments; '' runs an installed aligner.")
    ] = None,
    parallel: Annotated[
        str | None, typer.Option("--parallel", help="Parallel text to learn maps from; '' for none.")
    ] = None,
    test_parallel: Annotated[str | None, typer.Option("--test-parallel", help="Parallel text to test maps on.")] = None,
    tasks: Annotated[
        str | None, typer.Option("--tasks", help="Tasks of the preset, as in pos,ner; '' for none.")
    ] = None,
    data: Annotated[str | None, typer.Option("--data", help="Data of the tasks.")] = None,
    layers: Annotated[str, typer.Option("--layers", help="Layers that tasks are learnt on, as in 0-4 or 0,2,4.")] = "",
    seeds: Annotated[str, typer.Option("--seeds", help="As in 0,1,2.")] = "",
    device: Device = "auto",
    out: Annotated[Path, typer.Option("--out", help="Folder for the report.")] = Path("runs/align"),
    *,
    running: Running,
) -> None:
    """Can encoders that were trained apart be aligned? Words, words in context, sentences, and CKA (Wu20 section 5).

    Example: [bold]isogloss align --preset lab --tasks pos --seeds 0[/]

    Two checkpoints: [bold]isogloss align en=./bert-en fr=./bert-fr --text ./text --dictionary en-fr.txt[/]
    """
    from isogloss.cli.align_options import Given, change_align
    from isogloss.cli.reading import listed, numbers
    from isogloss.studies.align import STUDY, Config
    from isogloss.studies.shared.study_presets import load_study_preset

    given = Given(
        models=tuple(model or ()), bilingual=tuple(bilingual or ()), again=again, targets=listed(targets), text=text,
        steps=steps, dictionary=dictionary, vectors=tuple(vectors or ()), alignments=alignments, parallel=parallel,
        test_parallel=test_parallel, tasks=None if tasks is None else listed(tasks), data=data, layers=layers,
        seeds=numbers(seeds), device=device if device != "auto" else "",
    )  # fmt: skip
    config = change_align(load_study_preset("align", preset, Config), given)
    running.execute(STUDY, config, out)
