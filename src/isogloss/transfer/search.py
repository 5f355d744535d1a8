"""Hyper-parameter search: a grid or random draws of settings, as candidates that see only the source language."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from itertools import product
from typing import Any, TypeVar

import msgspec
import numpy as np

from isogloss.bounds import BoundError, check_plain
from isogloss.errors import IsoglossError, unknown_name
from isogloss.transfer.cells import FineTune
from isogloss.transfer.methods import Method, format_methods, parse_methods
from isogloss.transfer.settings import Settings

Space = Mapping[str, Sequence[Any]]
Kind = TypeVar("Kind")


def candidates(base: FineTune, space: Space, draws: int | None = None) -> tuple[FineTune, ...]:
    """``base`` in all combinations of ``space`` (settings, or settings of its methods), or in ``draws`` random ones.

    Candidates have no tests: nothing is chosen by a target language.
    """
    if not space:
        raise IsoglossError("a search needs settings to try", where="search", remedy="as in encoder_rate=1e-5,5e-5")
    combinations = list(product(*space.values()))
    if draws is not None and draws < len(combinations):
        rng = np.random.default_rng(base.settings.seed)
        combinations = [combinations[place] for place in np.sort(rng.permutation(len(combinations))[:draws])]
    bare = replace(base, tests=(), keep_model=False, keep_predictions=False)
    return tuple(_changed(bare, dict(zip(space, values, strict=True))) for values in combinations)


def read_space(pieces: Sequence[str]) -> dict[str, list[str]]:
    """``["encoder_rate=1e-5,5e-5", "batch=16,32"]`` as a space."""
    space = {}
    for piece in pieces:
        name, equals, values = piece.partition("=")
        if not equals or not values:
            raise IsoglossError(f"'{piece}' is not understood", where="search", remedy="as in encoder_rate=1e-5,5e-5")
        space[name.strip().replace("-", "_")] = [value.strip() for value in values.split(",")]
    return space


def _changed(base: FineTune, values: Mapping[str, Any]) -> FineTune:
    """``base`` with settings changed: those of the trainer, otherwise those of the method that has them."""
    own = {field.name for field in fields(Settings)}
    settings = {name: value for name, value in values.items() if name in own}
    methods = [_change_method(method, values) for method in parse_methods(base.method)]
    known = own | {field.name for method in methods for field in fields(method)}
    for name in values:
        if name not in known:
            raise unknown_name("setting", name, known, where="search")
    return replace(base, settings=change_settings(base.settings, settings), method=format_methods(methods))


def change_settings(settings: Settings, values: Mapping[str, Any]) -> Settings:
    """A copy with some settings changed, given as text or as numbers; misspelt or impossible ones are errors."""
    known = {field.name for field in fields(Settings)}
    for name in values:
        if name not in known:
            raise unknown_name("setting", name, known, where="settings")
    return _convert({**msgspec.to_builtins(settings), **values}, Settings, "settings")


def _change_method(method: Method, values: Mapping[str, Any]) -> Method:
    own = {field.name: values[field.name] for field in fields(method) if field.name in values}
    return _convert({**msgspec.to_builtins(method), **own}, type(method), f"method '{method.name}'")


def _convert(values: Mapping[str, Any], kind: type[Kind], where: str) -> Kind:
    try:
        check_plain(kind, values)
        return msgspec.convert(dict(values), kind, strict=False)
    except BoundError as error:
        raise error.at(where) from None
    except msgspec.ValidationError as error:
        raise IsoglossError(str(error).replace("`", "'"), where=where, remedy="fix this value") from error
