"""``isogloss forget``"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.completion import data_sets, languages
from isogloss.cli.fine_tuning import FineTuning
from isogloss.cli.options import Model, Out
from isogloss.cli.running import Running, with_running


@with_running
def forget(
    model: Model = "",
    source: Annotated[
        str, typer.Option("--source", autocompletion=languages, help="Source language to fine-tune in.")
    ] = "",
    conditions: Annotated[
        str,
        typer.Option(
            "--conditions", help="Conditions to run, as in initial,fine-tuned,reversal. Default: all of the preset."
        ),
    ] = "",
    method: Annotated[
        list[str] | None,
        typer.Option("--method", help="Method of a condition, as in reversal=reversal:0.5. May be repeated."),
    ] = None,
    texts: Annotated[
        str,
        typer.Option(
            "--texts",
            autocompletion=data_sets,
            help="Plain text for language identification, as isogloss data lid writes it.",
        ),
    ] = "",
    text_languages: Annotated[
        str,
        typer.Option(
            "--text-langs", autocompletion=languages, help="Languages to identify. Default: the target languages."
        ),
    ] = "",
    text_limit: Annotated[
        int | None, typer.Option("--text-limit", help="Texts per language to train language identification on.")
    ] = None,
    text_test_limit: Annotated[
        int | None, typer.Option("--text-test-limit", help="Texts per language to test language identification on.")
    ] = None,
    draws: Annotated[
        int | None, typer.Option("--draws", help="Number of random settings to search. 0 means no search.")
    ] = None,
    train_part: Annotated[
        str, typer.Option("--train-part", help="Part to train on: train, or rows of another part as in dev[:1600].")
    ] = "",
    validation_part: Annotated[
        str, typer.Option("--validation-part", help="Part that chooses epochs and settings.")
    ] = "",
    test_part: Annotated[str, typer.Option("--test-part", help="Part to test on.")] = "",
    out: Out = Path("runs/forget"),
    *,
    tuning: FineTuning,
    running: Running,
) -> None:
    """What does fine-tuning do to language identity, and does removing it help transfer? (Tanti21)

    Example: [bold]isogloss forget lab:families --tasks pos --draws 0 --seeds 0,1[/]
    """
    from isogloss.cli import reading
    from isogloss.studies.forget import STUDY, configure

    config = configure(
        model,
        **tuning.given(),
        conditions=reading.listed(conditions),
        methods=reading.named(method, "--method", "reversal=reversal:0.5"),
        draws=draws,
        train_part=train_part,
        validation_part=validation_part,
        test_part=test_part,
        source=source,
        texts=texts,
        text_languages=reading.listed(text_languages),
        text_limit=text_limit,
        text_test_limit=text_test_limit,
    )
    running.execute(STUDY, config, out)
