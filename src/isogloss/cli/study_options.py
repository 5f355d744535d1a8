"""How options change a preset of a study: what is not given stays as the preset has it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from isogloss.bounds import whole_number
from isogloss.errors import IsoglossError, unknown_name

Config = TypeVar("Config")


def listed(text: str, separator: str = ",") -> tuple[str, ...]:
    """``"en, ru"`` as two words."""
    return tuple(piece.strip() for piece in text.split(separator) if piece.strip())


def numbers(text: str, option: str = "--seeds") -> tuple[int, ...]:
    """``"0,1,2"`` as numbers."""
    if any(whole_number(piece) is None for piece in listed(text)):
        raise IsoglossError(f"'{text}' are no numbers", where=option, remedy=f"as in {option} 0,1,2")
    return tuple(int(piece) for piece in listed(text))


def fractions(text: str, option: str) -> tuple[float, ...]:
    """``"0.005,2e-2"`` as numbers."""
    try:
        return tuple(float(piece) for piece in listed(text))
    except ValueError as error:
        raise IsoglossError(f"'{text}' are no numbers", where=option, remedy=f"as in {option} 0.005,0.02") from error


def run_folder(study: str, model: str) -> Path:
    """Where the report of a study of one model goes: ``runs/inspect-lab-families``."""
    return Path("runs") / f"{study}-{Path(model.replace(':', '-')).name}"


def change(config: Config, **given: Any) -> Config:
    """``config`` with the options that were given; None, and emptiness where it cannot be meant, leave it alone."""
    meant = {name: value for name, value in given.items() if value not in (None, (), "") or name == "parallel"}
    chosen = {name: value for name, value in meant.items() if value is not None}
    return replace(config, **chosen)  # type: ignore[type-var]


def change_setups(config: Config, names: Sequence[str], **given: Any) -> Config:
    """``config`` with only the tasks that were named, each with other data or limits where these are given.

    Other data stands for all sources, and takes what was to be tested elsewhere away.
    """
    setups: dict[str, Any] = {setup.label: setup for setup in config.tasks}  # type: ignore[attr-defined]
    for name in names:
        if name not in setups:
            raise unknown_name("task", name, setups, where="--tasks")
    changes = {name: value for name, value in given.items() if value not in (None, "")}
    if "data" in changes:
        changes = {"test_data": "", "validation_data": "", "data_by_source": {}, "elsewhere": {}, **changes}
    chosen = tuple(replace(setups[name], **changes) for name in names or setups)
    return replace(config, tasks=chosen)  # type: ignore[type-var]
