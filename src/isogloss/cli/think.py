"""``isogloss think``"""

from typing import Annotated

import typer

from isogloss.cli.completion import data_sets, languages, presets
from isogloss.cli.options import Device, Dtype, Langs, Model, ModelOut, Revision, Seed
from isogloss.cli.running import Running, with_running


@with_running
def think(
    model: Model = "",
    preset: Annotated[
        str,
        typer.Option(
            "--preset",
            autocompletion=presets,
            help="Preset: lab (a planted decoder whose answer is known), lab-causal (minutes) or gemma.",
        ),
    ] = "lab",
    pairs: Annotated[str, typer.Option("--pairs", help="Translation directions to follow, as in de-fr,en-ru.")] = "",
    pivot: Annotated[
        str,
        typer.Option(
            "--pivot", autocompletion=languages, help="Pivot language that the model may pass through, usually en."
        ),
    ] = "",
    dictionary: Annotated[
        str,
        typer.Option(
            "--dictionary", autocompletion=data_sets, help="Dictionaries from the pivot: a catalog name or a path."
        ),
    ] = "",
    words: Annotated[int | None, typer.Option("--words", help="Words per translation direction.", min=2)] = None,
    shots: Annotated[
        int | None, typer.Option("--shots", help="Examples in the prompt before each question.", min=0)
    ] = None,
    lens: Annotated[str, typer.Option("--lens", help="Logit lens: plain, or affine (trained on --text).")] = "",
    langs: Langs = "",
    text: Annotated[
        str,
        typer.Option(
            "--text", autocompletion=data_sets, help="Plain text to find language neurons on: a catalog name or a path."
        ),
    ] = "",
    limit: Annotated[
        int | None, typer.Option("--limit", help="Sentences per language to find neurons on.", min=1)
    ] = None,
    test_limit: Annotated[
        int | None, typer.Option("--test-limit", help="Further sentences per language to test neurons on.", min=1)
    ] = None,
    share: Annotated[
        float | None, typer.Option("--share", help="Share of all neurons that count as language neurons.")
    ] = None,
    draws: Annotated[
        int | None, typer.Option("--draws", help="Number of random sets of neurons, as a control.", min=0)
    ] = None,
    seed: Seed = 0,
    revision: Revision = None,
    dtype: Dtype = "",
    device: Device = "auto",
    out: ModelOut = None,
    *,
    running: Running,
) -> None:
    """Find out which language a decoder works in (logit lens), and which neurons belong to a language.

    Example: [bold]isogloss think ./gemma3-270m --preset gemma --pairs de-fr --langs en,de,fr[/]
    """
    from isogloss.cli.reading import listed, run_folder
    from isogloss.studies.think import STUDY, configure

    config = configure(
        model,
        preset,
        pairs=listed(pairs),
        pivot=pivot,
        dictionary=dictionary,
        words=words,
        shots=shots,
        lens=lens,
        languages=listed(langs),
        text=text,
        limit=limit,
        test_limit=test_limit,
        share=share,
        draws=draws,
        seed=seed or None,
        revision=revision,
        dtype=dtype,
        device=device if device != "auto" else "",
    )
    running.execute(STUDY, config, out or run_folder("think", config.model))
