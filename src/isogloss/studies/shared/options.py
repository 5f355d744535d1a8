"""How options change the settings of a preset: the same rules for commands and for Python."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from isogloss.errors import unknown_name
from isogloss.studies.shared.fine_tuning import LAB, is_lab_model
from isogloss.studies.shared.models import name_model
from isogloss.transfer import Settings
from isogloss.transfer.search import change_settings

Config = TypeVar("Config")
# Options that each task of a study takes.
OF_TASKS = ("data", "test_data", "limit", "test_limit", "train_part", "validation_part", "test_part", "on_error")
MAY_BE_EMPTY = ("parallel",)  # where emptiness means something: no parallel text


def change(config: Config, **given: Any) -> Config:
    """``config`` with the options that were given; None, and emptiness where it cannot be meant, leave it alone."""
    unset = {name: (None,) if name in MAY_BE_EMPTY else (None, (), "") for name in given}
    chosen = {name: value for name, value in given.items() if value not in unset[name]}
    return replace(config, **chosen)  # type: ignore[type-var]


def change_study(
    config: Config, for_model: str, tasks: Sequence[str] = (), *, settings: Mapping[str, Any] | None = None,
    **given: Any,
) -> Config:  # fmt: skip
    """The preset of a study of fine-tunings with the options that were given: those of tasks, and its own.

    ``settings`` are those of all fine-tunings, beside what the preset has.
    """
    of_tasks = {name: given.pop(name) for name in OF_TASKS if name in given}
    changed = change_setups(change(config, **given), tasks, model=for_model, **of_tasks)
    return change_settings_of_tasks(changed, settings or {})


def change_settings_of_tasks(config: Config, settings: Mapping[str, Any]) -> Config:
    """``config`` with these settings of every task's fine-tunings, beside those it has."""
    change_settings(Settings(), settings)  # what fine-tunings do not have is refused here
    setups: tuple[Any, ...] = config.tasks  # type: ignore[attr-defined]
    changed = tuple(replace(setup, settings={**setup.settings, **settings}) for setup in setups)
    return replace(config, tasks=changed)  # type: ignore[type-var]


def change_setups(config: Config, names: Sequence[str], *, model: str = "", **given: Any) -> Config:
    """``config`` with only the tasks that were named, each with other data or limits where these are given.

    Other data stands for all sources, and takes what was to be tested elsewhere away. Sizes that the lab's preset
    chose for its own small encoder do not follow to another ``model``.
    """
    setups: dict[str, Any] = {setup.label: setup for setup in config.tasks}  # type: ignore[attr-defined]
    for name in names:
        if name not in setups:
            raise unknown_name("task", name, setups, where="--tasks")
    changes = {name: value for name, value in given.items() if value not in (None, "")}
    if "data" in changes:
        own = {"test_data": "", "validation_data": "", "data_by_source": {}, "test_data_by_target": {}, "elsewhere": {}}
        changes = {**own, **changes}
    chosen = [replace(setups[name], **changes) for name in names or setups]
    if model and not is_lab_model(name_model(model)):
        chosen = [_as_for_others(setup, set(changes)) for setup in chosen]
    return replace(config, tasks=tuple(chosen))  # type: ignore[type-var]


def _as_for_others(setup: Any, given: set[str]) -> Any:
    """A task of the lab's preset without what was chosen for the lab's encoder, but for what was ``given``."""
    if setup.preset not in ("", LAB):
        return setup
    own: dict[str, Any] = {"limit": None, "test_limit": None, "settings": {}}
    return replace(setup, preset="", **{name: value for name, value in own.items() if name not in given})
