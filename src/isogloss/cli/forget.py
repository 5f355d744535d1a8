"""``isogloss forget``"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.options import Device, Limit, Model, Revision, Seeds, Targets, TaskData, TestData, TestLimit
from isogloss.cli.running import Running, with_running


@with_running
def forget(
    model: Model = "",
    preset: Annotated[
        str,
        typer.Option("--preset", help="lab (minutes), mini (real text, a small encoder) or paper (Tanti21's sizes)."),
    ] = "lab",
    tasks: Annotated[str, typer.Option("--tasks", help="pos,nli, or any other task there is.")] = "",
    source: Annotated[str, typer.Option("--source", help="Fine-tune in this language.")] = "",
    targets: Targets = "",
    conditions: Annotated[str, typer.Option("--conditions", help="Of the preset's: initial,fine-tuned,reversal.")] = "",
    method: Annotated[
        list[str] | None, typer.Option("--method", help="A condition's: reversal=reversal:0.5; may be repeated.")
    ] = None,
    texts: Annotated[
        str, typer.Option("--texts", help="Plain text by language, as 'isogloss data lid' writes it.")
    ] = "",
    text_languages: Annotated[
        str, typer.Option("--text-langs", help="Its languages; the tested ones by default.")
    ] = "",
    text_limit: Annotated[int | None, typer.Option("--text-limit", help="Texts per language to learn from.")] = None,
    text_test_limit: Annotated[int | None, typer.Option("--text-test-limit", help="And to test on.")] = None,
    draws: Annotated[int | None, typer.Option("--draws", help="Of the random search; 0: none.")] = None,
    data: TaskData = "",
    test_data: TestData = "",
    train_part: Annotated[str, typer.Option("--train-part", help="train, or rows of a part: dev[:1600].")] = "",
    validation_part: Annotated[str, typer.Option("--validation-part", help="Chooses epochs and settings.")] = "",
    test_part: Annotated[str, typer.Option("--test-part", help="Of the test data.")] = "",
    limit: Limit = None,
    test_limit: TestLimit = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="Of all fine-tunings, as in --set epochs=2; may be repeated.")
    ] = None,
    on_error: Annotated[str, typer.Option("--on-error", help="raise, or skip: leave bad records out.")] = "",
    seeds: Seeds = "",
    revision: Revision = None,
    device: Device = "auto",
    out: Annotated[Path, typer.Option("--out", help="Folder for the report.")] = Path("runs/forget"),
    *,
    running: Running,
) -> None:
    """What does fine-tuning do to the identity of languages, and does forcing it away help? (Tanti21)

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
        revision=revision,
        device=device if device != "auto" else "",
    )
    running.execute(STUDY, config, out)
