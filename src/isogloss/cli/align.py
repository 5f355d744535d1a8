"""``isogloss align``: can encoders that were trained apart be aligned?"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.options import Device, Seeds
from isogloss.cli.running import Running, with_running


@with_running
def align(
    model: Annotated[
        list[str] | None,
        typer.Argument(metavar="[LANG=MODEL]...", help="An encoder per language, the source's first."),
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
    paraphrases: Annotated[
        str | None,
        typer.Option("--paraphrases", help="The source in other words (back-translations): sentence, tab, paraphrase."),
    ] = None,
    sizes: Annotated[str, typer.Option("--sizes", help="Sentences to learn the map from, as in 200,2000.")] = "",
    rounds: Annotated[
        int | None, typer.Option("--rounds", min=0, help="Rounds of iterative normalisation before a map is learnt.")
    ] = None,
    test_limit: Annotated[int | None, typer.Option("--test-limit", min=1, help="Sentences to test maps on.")] = None,
    share: Annotated[
        float | None, typer.Option("--share", help="Share of a dictionary's source words that the map is learnt from.")
    ] = None,
    tasks: Annotated[
        str | None, typer.Option("--tasks", help="Tasks of the preset, as in pos,ner; '' for none.")
    ] = None,
    data: Annotated[str, typer.Option("--data", help="Data of the tasks.")] = "",
    layers: Annotated[str, typer.Option("--layers", help="Layers that tasks are learnt on, as in 0-4 or 0,2,4.")] = "",
    seeds: Seeds = "",
    device: Device = "auto",
    out: Annotated[Path, typer.Option("--out", help="Folder for the report.")] = Path("runs/align"),
    *,
    running: Running,
) -> None:
    """Can encoders that were trained apart be aligned? Words, words in context, sentences, and CKA (Wu20 section 5).

    Example: [bold]isogloss align --preset lab --tasks pos --seeds 0[/]

    Two checkpoints: [bold]isogloss align en=./bert-en fr=./bert-fr --text ./text --dictionary en-fr.txt[/]
    """
    from isogloss.cli.reading import by_language, listed, numbers
    from isogloss.studies.align import STUDY, configure

    config = configure(
        by_language(model, "MODEL"),
        preset,
        bilingual=by_language(bilingual, "--bilingual") or None,
        again=again,
        targets=listed(targets),
        text=text,
        steps=steps,
        dictionary=dictionary,
        vectors=by_language(vectors, "--vectors") or None,
        alignments=alignments,
        parallel=parallel,
        test_parallel=test_parallel,
        paraphrases=paraphrases,
        sizes=numbers(sizes, "--sizes"),
        rounds=rounds,
        test_limit=test_limit,
        share=share,
        tasks=None if tasks is None else listed(tasks),
        data=data,
        layers=layers,
        seeds=numbers(seeds),
        device=device if device != "auto" else "",
    )
    running.execute(STUDY, config, out)
