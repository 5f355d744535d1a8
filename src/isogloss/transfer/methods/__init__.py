"""Methods: each a small file, plain values, composable with ``+``: ``random-init:1-2+ldar:alpha=0.005``."""

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

import msgspec

from isogloss.bounds import BoundError, check_plain
from isogloss.errors import IsoglossError, unknown_name
from isogloss.lazy import on_first_use
from isogloss.plugins import parts
from isogloss.transfer.method import Ground, Method
from isogloss.transfer.methods.concatenation import Concatenation
from isogloss.transfer.methods.entropy import Entropy
from isogloss.transfer.methods.fusion import Fusion
from isogloss.transfer.methods.ldar import LDAR
from isogloss.transfer.methods.reversal import Reversal
from isogloss.transfer.methods.scalar_mix import ScalarMix
from isogloss.transfer.methods.separate import Separate
from isogloss.transfer.methods.simple import Frozen, Layer, Linear, Plain, RandomInit
from isogloss.transfer.methods.subspace import Subspace
from isogloss.transfer.methods.task_layers import TaskLayers

if TYPE_CHECKING:
    from isogloss.transfer.methods.modules.part import Part

METHODS: dict[str, type[Method]] = {
    method.name: method
    for method in (
        *(Plain, Frozen, Linear, RandomInit, Layer, ScalarMix, Concatenation, Fusion),
        *(LDAR, Subspace, Reversal, Entropy, Separate, TaskLayers),
    )
}


def parse_methods(text: str) -> tuple[Method, ...]:
    """Methods as users write them, joined with ``+``; plain ones add nothing and are left out."""
    methods = [parse_method(piece) for piece in text.split("+") if piece.strip()]
    return tuple(method for method in methods if not isinstance(method, Plain))


def parse_method(text: str) -> Method:
    """``name``, ``name:value`` (of the first setting) or ``name:setting=value,setting=value``; also ``layer=3``."""
    name, _, rest = text.strip().partition(":")
    if "=" in name:
        name, _, rest = name.partition("=")
    known_methods = METHODS if name in METHODS else {**METHODS, **parts("METHODS")}
    if name not in known_methods:
        raise unknown_name("method", name, known_methods)
    kind = known_methods[name]
    known = [field.name for field in fields(kind)]
    settings = _read_settings(rest, known, name)
    where = f"method '{text.strip()}'"
    try:
        check_plain(kind, settings)
        return msgspec.convert(settings, kind, strict=False)
    except BoundError as error:
        raise error.at(where) from None
    except msgspec.ValidationError as error:
        what, _, place = str(error).partition(" - at `$.")
        key = place.rstrip("`")
        raise IsoglossError(
            f"setting '{key}': {what}".replace("`", "'") if key else what.replace("`", "'"),
            where=where,
            remedy="write it as name:option=value, as in frozen:0-6 or ldar:alpha=0.01",
        ) from error


def format_methods(methods: Sequence[Method]) -> str:
    """As ``parse_methods`` reads it: only settings that are not the default are written."""
    return "+".join(map(_format, methods)) or Plain.name


def _format(method: Method) -> str:
    pieces = []
    for place, field in enumerate(fields(method)):
        value = getattr(method, field.name)
        if value != field.default:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            pieces.append(f"{field.name}={text}" if place else text)  # the first setting needs no name
    return f"{method.name}:{','.join(pieces)}" if pieces else method.name


def _read_settings(text: str, known: list[str], method: str) -> dict[str, str]:
    """Settings by name; a piece without ``=`` continues the one before (``layers=1,3-4``), or is the first one."""
    settings: dict[str, str] = {}
    current = known[0] if known else ""
    for piece in (piece.strip() for piece in text.split(",") if piece.strip()):
        setting, equals, value = piece.partition("=")
        if equals:
            current = setting.strip().replace("-", "_")
            settings[current] = value.strip()
        else:
            settings[current] = f"{settings[current]},{piece}" if current in settings else piece
        if current not in known:
            raise unknown_name(f"setting of method '{method}'", current or piece, known)
    return settings


__all__ = [
    "LDAR",
    "METHODS",
    "Concatenation",
    "Entropy",
    "Frozen",
    "Fusion",
    "Ground",
    "Layer",
    "Linear",
    "Method",
    "Part",
    "Plain",
    "RandomInit",
    "Reversal",
    "ScalarMix",
    "Separate",
    "Subspace",
    "TaskLayers",
    "format_methods",
    "parse_method",
    "parse_methods",
]

__getattr__, _ = on_first_use(__name__, {"modules.part": ("Part",)})  # the one name that needs torch
