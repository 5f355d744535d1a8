"""``isogloss think``"""

from typing import Annotated

import typer

from isogloss.cli.options import Device, Dtype, Langs, Model, ModelOut, Revision, Seed
from isogloss.cli.running import Running, with_running


@with_running
def think(
    model: Model = "",
    preset: Annotated[
        str,
        typer.Option("--preset", help="lab (planted truth), lab-causal (minutes) or gemma."),
    ] = "lab",
    pairs: Annotated[str, typer.Option("--pairs", help="Translations to watch: de-fr,en-ru.")] = "",
    pivot: Annotated[str, typer.Option("--pivot", help="The language that may stand between them.")] = "",
    dictionary: Annotated[str, typer.Option("--dictionary", help="Dictionaries from the pivot: a name or path.")] = "",
    words: Annotated[int | None, typer.Option("--words", help="Words per pair.", min=2)] = None,
    shots: Annotated[int | None, typer.Option("--shots", help="Examples before each question.", min=0)] = None,
    lens: Annotated[str, typer.Option("--lens", help="plain, or affine (learnt on the text).")] = "",
    langs: Langs = "",
    text: Annotated[str, typer.Option("--text", help="Plain text to count neurons on: a name or path.")] = "",
    limit: Annotated[int | None, typer.Option("--limit", help="Sentences per language to count on.", min=1)] = None,
    test_limit: Annotated[int | None, typer.Option("--test-limit", help="Further ones to test on.", min=1)] = None,
    share: Annotated[float | None, typer.Option("--share", help="Of all neurons, taken as languages' own.")] = None,
    draws: Annotated[int | None, typer.Option("--draws", help="Of random neurons, as a control.", min=0)] = None,
    seed: Seed = 0,
    revision: Revision = None,
    dtype: Dtype = "",
    device: Device = "auto",
    out: ModelOut = None,
    *,
    running: Running,
) -> None:
    """Which language does a decoder think in, and which neurons speak it? Logit lens and language neurons.

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
