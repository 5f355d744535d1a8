"""``isogloss transfer``"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.options import Device, Limit, Revision, Targets, TestLimit
from isogloss.cli.running import Running, with_running


@with_running
def transfer(
    task: Annotated[str, typer.Option("--task", help="pos, ner, parsing, nli or paraphrase.")] = "pos",
    source: Annotated[str, typer.Option("--source", help="Fine-tune in this language, or several: en,de,zh.")] = "qaa",
    targets: Targets = "",
    model: Annotated[
        list[str] | None,
        typer.Option("--model", help="A folder, a Hugging Face model name or lab:families. May be repeated."),
    ] = None,
    data: Annotated[str, typer.Option("--data", help="Training data: a catalog name, a path, lab.")] = "lab:families",
    test_data: Annotated[
        list[str] | None, typer.Option("--test-data", help="Test data, if other than --data; may be repeated.")
    ] = None,
    method: Annotated[
        list[str] | None, typer.Option("--method", help="plain, frozen:0-6, fusion:1, ...; may be repeated.")
    ] = None,
    preset: Annotated[
        str, typer.Option("--preset", help="Settings of a paper: muller21-pos, xtreme, ...; or lab.")
    ] = "",
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="A setting, as in --set encoder_rate=3e-5; may be repeated.")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", help="Of the task, as in --option repair=true; may be repeated.")
    ] = None,
    search: Annotated[
        list[str] | None, typer.Option("--search", help="Values to try: encoder_rate=1e-5,5e-5; may be repeated.")
    ] = None,
    draws: Annotated[int | None, typer.Option("--draws", help="Random combinations to try, instead of all.")] = None,
    texts: Annotated[str, typer.Option("--texts", help="Plain text by language, for methods that need it.")] = "",
    train_part: Annotated[str, typer.Option("--train-part", help="train, or rows of a part: dev[:1600].")] = "train",
    validation_part: Annotated[str, typer.Option("--validation-part", help="Chooses the epoch.")] = "dev",
    test_part: Annotated[str, typer.Option("--test-part", help="Of the test data.")] = "test",
    limit: Limit = None,
    test_limit: TestLimit = None,
    seeds: Annotated[str, typer.Option("--seeds", help="One fine-tuning each: 0,1,2.")] = "0",
    on_error: Annotated[
        str, typer.Option("--on-error", help="raise, or skip: leave bad records out, counted.")
    ] = "raise",
    keep_model: Annotated[bool, typer.Option("--keep-model", help="Put the fine-tuned models into --out.")] = False,
    revision: Revision = None,
    device: Device = "auto",
    out: Annotated[Path, typer.Option("--out", help="Folder for the report, predictions and models.")] = Path(
        "runs/transfer"
    ),
    *,
    running: Running,
) -> None:
    """Fine-tune in one language, test in all, by any of the papers' methods.

    Example: [bold]isogloss transfer --task pos --source en --model xlm-roberta-base --data ud-ewt --test-data ud-pud[/]
    """
    from isogloss.cli import reading
    from isogloss.cli.transfer_files import copy_files
    from isogloss.studies.transfer import STUDY, configure
    from isogloss.transfer.search import read_space

    first, *others = model or [""]
    config = configure(
        first,
        preset,
        compare=others,
        task=task,
        methods=tuple(method or ()),
        sources=reading.listed(source),
        targets=reading.listed(targets),
        data=data,
        test_data=tuple(test_data or ()),
        train_part=train_part,
        validation_part=validation_part,
        test_part=test_part,
        limit=limit,
        test_limit=test_limit,
        texts=texts,
        options=reading.settings(option, "--option"),
        settings=reading.settings(settings),
        search=dict(read_space(search or ())),
        draws=draws,
        seeds=reading.numbers(seeds),
        on_error=on_error,
        keep_model=keep_model,
        revision=revision,
        device=device,
    )
    plan = running.execute(STUDY, config, out)
    if plan is not None:
        copy_files(plan.conditions, out, quiet=running.as_json)
