"""``isogloss transfer``"""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.completion import data_sets, languages, presets
from isogloss.cli.options import Device, Limit, Revision, Targets, TestLimit, VaryPretraining
from isogloss.cli.running import Running, with_running


@with_running
def transfer(
    task: Annotated[str, typer.Option("--task", help="Task: pos, ner, parsing, nli or paraphrase.")] = "pos",
    source: Annotated[
        str,
        typer.Option(
            "--source",
            autocompletion=languages,
            help="Source language to fine-tune in, or several together as in en,de,zh.",
        ),
    ] = "qaa",
    targets: Targets = "",
    model: Annotated[
        list[str] | None,
        typer.Option("--model", help="A folder, a Hugging Face model name or lab:families. May be repeated."),
    ] = None,
    data: Annotated[
        str, typer.Option("--data", autocompletion=data_sets, help="Training data: a catalog name, a path or lab.")
    ] = "lab:families",
    test_data: Annotated[
        list[str] | None,
        typer.Option(
            "--test-data", autocompletion=data_sets, help="Test data. May be repeated. Default: the same as --data."
        ),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method", help="Method, such as plain, frozen:0-6 or fusion:1 (docs/transfer.md). May be repeated."
        ),
    ] = None,
    preset: Annotated[
        str,
        typer.Option(
            "--preset", autocompletion=presets, help="Preset of a paper, such as muller21-pos or xtreme, or lab."
        ),
    ] = "",
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="Change a setting, as in encoder_rate=3e-5. May be repeated.")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", help="Option of the task, as in repair=true. May be repeated.")
    ] = None,
    search: Annotated[
        list[str] | None,
        typer.Option("--search", help="Values to search, as in encoder_rate=1e-5,5e-5. May be repeated."),
    ] = None,
    draws: Annotated[
        int | None, typer.Option("--draws", help="Try this many random combinations instead of all.")
    ] = None,
    texts: Annotated[
        str,
        typer.Option("--texts", autocompletion=data_sets, help="Plain text per language, for methods that need it."),
    ] = "",
    train_part: Annotated[
        str, typer.Option("--train-part", help="Part to train on: train, or rows of another part as in dev[:1600].")
    ] = "train",
    validation_part: Annotated[str, typer.Option("--validation-part", help="Part that chooses the epoch.")] = "dev",
    test_part: Annotated[str, typer.Option("--test-part", help="Part to test on.")] = "test",
    limit: Limit = None,
    test_limit: TestLimit = None,
    seeds: Annotated[str, typer.Option("--seeds", help="One fine-tuning per seed, as in 0,1,2.")] = "0",
    vary_pretraining: VaryPretraining = False,
    on_error: Annotated[
        str, typer.Option("--on-error", help="What to do with bad records: raise (stop) or skip (leave out and count).")
    ] = "raise",
    keep_model: Annotated[bool, typer.Option("--keep-model", help="Save the fine-tuned models in --out.")] = False,
    revision: Revision = None,
    device: Device = "auto",
    out: Annotated[Path, typer.Option("--out", help="Folder for the report, predictions and models.")] = Path(
        "runs/transfer"
    ),
    *,
    running: Running,
) -> None:
    """Fine-tune in one language and test in all, with any method of the papers.

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
        vary_pretraining=vary_pretraining,
        on_error=on_error,
        keep_model=keep_model,
        revision=revision,
        device=device,
    )
    plan = running.execute(STUDY, config, out)
    if plan is not None:
        copy_files(plan.conditions, out, quiet=running.as_json)
