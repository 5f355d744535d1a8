"""``isogloss forget``"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.completion import data_sets, languages
from isogloss.cli.options import (
    Device,
    Limit,
    Model,
    Out,
    Preset,
    Revision,
    Seeds,
    Targets,
    TaskData,
    Tasks,
    TestData,
    TestLimit,
    VaryPretraining,
)
from isogloss.cli.running import Running, with_running


@with_running
def forget(
    model: Model = "",
    preset: Preset = "lab",
    tasks: Tasks = "",
    source: Annotated[
        str, typer.Option("--source", autocompletion=languages, help="Source language to fine-tune in.")
    ] = "",
    targets: Targets = "",
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
    data: TaskData = "",
    test_data: TestData = "",
    train_part: Annotated[
        str, typer.Option("--train-part", help="Part to train on: train, or rows of another part as in dev[:1600].")
    ] = "",
    validation_part: Annotated[
        str, typer.Option("--validation-part", help="Part that chooses epochs and settings.")
    ] = "",
    test_part: Annotated[str, typer.Option("--test-part", help="Part to test on.")] = "",
    limit: Limit = None,
    test_limit: TestLimit = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Change a setting of all fine-tunings, as in epochs=2. May be repeated."),
    ] = None,
    on_error: Annotated[
        str, typer.Option("--on-error", help="What to do with bad records: raise (stop) or skip (leave out and count).")
    ] = "",
    seeds: Seeds = "",
    vary_pretraining: VaryPretraining = False,
    revision: Revision = None,
    device: Device = "auto",
    out: Out = Path("runs/forget"),
    *,
    running: Running,
) -> None:
    """What does fine-tuning do to language identity, and does removing it help transfer? (Tanti21)

    Example: [bold]isogloss forget lab:families --tasks pos --draws 0 --seeds 0,1[/]
    """
    from isogloss.cli import reading
    from isogloss.studies.forget import STUDY, configure

    config = configure(
        model,
        preset,
        tasks=reading.listed(tasks),
        conditions=reading.listed(conditions),
        methods=reading.named(method, "--method", "reversal=reversal:0.5"),
        settings=reading.settings(settings),
        draws=draws,
        data=data,
        test_data=test_data,
        limit=limit,
        test_limit=test_limit,
        train_part=train_part,
        validation_part=validation_part,
        test_part=test_part,
        on_error=on_error,
        source=source,
        targets=reading.listed(targets),
        texts=texts,
        text_languages=reading.listed(text_languages),
        text_limit=text_limit,
        text_test_limit=text_test_limit,
        seeds=reading.numbers(seeds),
        vary_pretraining=vary_pretraining or None,
        revision=revision,
        device=device if device != "auto" else "",
    )
    running.execute(STUDY, config, out)
