"""``isogloss align``: can encoders that were trained apart be aligned?"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.completion import data_sets, languages, presets
from isogloss.cli.options import Device, Out, Seeds
from isogloss.cli.running import Running, with_running


@with_running
def align(
    model: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[LANG=MODEL]...", help="One encoder per language, as in en=./bert-en. The first is the source."
        ),
    ] = None,
    bilingual: Annotated[
        list[str] | None,
        typer.Option(
            "--bilingual",
            metavar="LANG=MODEL",
            help="A bilingual encoder of the source and this target, to compare with. May be repeated.",
        ),
    ] = None,
    again: Annotated[
        str, typer.Option("--again", help="A second, independently trained encoder of the source language.")
    ] = "",
    preset: Annotated[
        str,
        typer.Option(
            "--preset", autocompletion=presets, help="Preset: lab (minutes), mini (real text) or paper (Wu20's sizes)."
        ),
    ] = "lab",
    targets: Annotated[
        str, typer.Option("--targets", autocompletion=languages, help="Target languages, as in qab,qac.")
    ] = "",
    text: Annotated[
        str | None,
        typer.Option(
            "--text",
            autocompletion=data_sets,
            help="Plain text per language, to pretrain on and to read words in context.",
        ),
    ] = None,
    steps: Annotated[int | None, typer.Option("--steps", help="Pretraining steps of each monolingual encoder.")] = None,
    dictionary: Annotated[
        str | None,
        typer.Option(
            "--dictionary",
            autocompletion=data_sets,
            help="Word translations: a file or a catalog name. '' skips words.",
        ),
    ] = None,
    vectors: Annotated[
        list[str] | None,
        typer.Option(
            "--vectors", metavar="LANG=FILE", help="Static word vectors (.vec) as a baseline. May be repeated."
        ),
    ] = None,
    alignments: Annotated[
        str | None,
        typer.Option(
            "--alignments",
            autocompletion=data_sets,
            help="Gold word alignments. '' runs an installed word aligner instead.",
        ),
    ] = None,
    parallel: Annotated[
        str | None,
        typer.Option(
            "--parallel", autocompletion=data_sets, help="Parallel text to learn maps from. '' skips sentences."
        ),
    ] = None,
    test_parallel: Annotated[
        str | None, typer.Option("--test-parallel", autocompletion=data_sets, help="Parallel text to test maps on.")
    ] = None,
    paraphrases: Annotated[
        str | None,
        typer.Option(
            "--paraphrases",
            help="Paraphrases of the source, such as back-translations: sentence, tab, paraphrase per line.",
        ),
    ] = None,
    sizes: Annotated[
        str, typer.Option("--sizes", help="Numbers of sentences to learn the map from, as in 200,2000.")
    ] = "",
    rounds: Annotated[
        int | None, typer.Option("--rounds", min=0, help="Rounds of iterative normalisation before a map is learnt.")
    ] = None,
    test_limit: Annotated[
        int | None, typer.Option("--test-limit", min=1, help="At most this many sentences to test maps on.")
    ] = None,
    share: Annotated[
        float | None, typer.Option("--share", help="Share of a dictionary's source words that the map is learnt from.")
    ] = None,
    tasks: Annotated[str | None, typer.Option("--tasks", help="Tasks to run, as in pos,ner. '' skips tasks.")] = None,
    data: Annotated[
        str,
        typer.Option(
            "--data",
            autocompletion=data_sets,
            help="Training and test data of the tasks: a catalog name, a path or lab.",
        ),
    ] = "",
    layers: Annotated[
        str, typer.Option("--layers", help="Layers that task heads are trained on, as in 0-4 or 0,2,4.")
    ] = "",
    seeds: Seeds = "",
    device: Device = "auto",
    out: Out = Path("runs/align"),
    *,
    running: Running,
) -> None:
    """Can separately trained encoders be aligned? Words, words in context, sentences, CKA (Wu20).

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
