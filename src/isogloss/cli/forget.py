"""``isogloss forget``"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli.options import Device, Limit, Model, Revision, Seeds, Targets, TaskData, TestData, TestLimit
from isogloss.cli.running import Running, with_running

if TYPE_CHECKING:
    from isogloss.studies.forget import Config


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
    text_limit: Annotated[int | None, typer.Option("--text-limit", help="Texts a language to learn from.")] = None,
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
    from isogloss.cli.reading import listed, numbers
    from isogloss.studies.forget import STUDY, Config
    from isogloss.studies.shared.options import change, change_setups
    from isogloss.studies.shared.study_presets import load_study_preset

    config = change(
        load_study_preset("forget", preset, Config),
        model=model,
        source=source,
        targets=listed(targets),
        texts=texts,
        text_languages=listed(text_languages),
        text_limit=text_limit,
        text_test_limit=text_test_limit,
        draws=draws,
        seeds=numbers(seeds),
        revision=revision,
        device=device if device != "auto" else "",
    )
    config = choose_conditions(config, listed(conditions), method or ())
    config = change_setups(
        add_tasks(config, listed(tasks)), listed(tasks), data=data, test_data=test_data, limit=limit,
        test_limit=test_limit, train_part=train_part, validation_part=validation_part, test_part=test_part,
        on_error=on_error, draws=draws,
    )  # fmt: skip
    running.execute(STUDY, suit_model(change_settings(config, settings or ()), draws), out)


def choose_conditions(config: "Config", names: tuple[str, ...], methods: "list[str] | tuple[()]") -> "Config":
    """Only the conditions named, and the methods given: ``reversal=reversal:0.5``; a new name is a new condition."""
    from dataclasses import replace

    from isogloss.errors import IsoglossError, unknown_name

    chosen = dict(config.conditions)
    for piece in methods:
        name, equals, written = piece.partition("=")
        if not equals or ":" in name:
            raise IsoglossError(
                f"'{piece}' is not understood", where="--method", remedy="as in --method reversal=reversal:0.5"
            )
        chosen[name.strip()] = written.strip()
    for name in names:
        if name not in chosen:
            raise unknown_name("condition", name, chosen, where="--conditions")
    kept = {name: chosen[name] for name in names or chosen}
    tasks = tuple(
        replace(setup, presets={name: preset for name, preset in setup.presets.items() if name in kept})
        for setup in config.tasks
    )
    return replace(config, conditions=kept, tasks=tasks)


def add_tasks(config: "Config", names: tuple[str, ...]) -> "Config":
    """The preset's tasks, and those named that it lacks, on the data and with the limits of its first one."""
    from dataclasses import replace

    from isogloss.studies.forget.config import setup_like
    from isogloss.tasks import TASKS

    known = {setup.label for setup in config.tasks}
    more = tuple(setup_like(config.tasks[0], name) for name in names if name not in known and name in TASKS)
    return replace(config, tasks=(*config.tasks, *more))


def change_settings(config: "Config", pieces: "list[str] | tuple[()]") -> "Config":
    """Settings of all fine-tunings, where they are given."""
    from dataclasses import replace

    from isogloss.cli.reading import settings

    given = settings(pieces)
    return replace(config, tasks=tuple(replace(setup, settings={**setup.settings, **given}) for setup in config.tasks))


def suit_model(config: "Config", draws: int | None) -> "Config":
    """An encoder that is not the lab's is trained with XTREME's settings, and searched (if asked) by Tanti21's grid."""
    from dataclasses import replace

    from isogloss.studies.forget import Config
    from isogloss.studies.shared.models import LAB, UNTRAINED
    from isogloss.studies.shared.study_presets import load_study_preset

    if config.model.removeprefix(UNTRAINED).startswith(LAB) or all(setup.preset != "lab" for setup in config.tasks):
        return config
    tasks = tuple(
        replace(setup, preset="xtreme", draws=draws) if setup.preset == "lab" else setup for setup in config.tasks
    )
    grid = load_study_preset("forget", "paper", Config).search
    return replace(config, tasks=tasks, search=grid, draws=draws or 0)
