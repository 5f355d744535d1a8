"""The vocabulary of bounds: what a setting may be, declared once with its type and checked before work begins.

A setting names its bound as its type, ``limit: Limit = 500``. Study files, presets, options and Python all pass
``check_settings``, so that a number which means nothing is refused in the same words everywhere.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from msgspec import Meta

from isogloss.errors import IsoglossError, unknown_name

DISTINCT = "distinct"  # a mark beside Meta: no value stands twice
DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,5})?")
LONGEST_TEXT = 4096  # characters of one setting: a path is no longer
DEEPEST = 40  # settings within settings

Limit = Annotated[int, Meta(ge=1, le=10**9)]  # sentences, texts, tokens, steps
Count = Annotated[int, Meta(ge=1, le=10**6)]  # repetitions, dimensions, rounds
CountOrZero = Annotated[int, Meta(ge=0, le=10**6)]  # the same, where none is a choice
LimitOrZero = Annotated[int, Meta(ge=0, le=10**9)]
LayerNumber = Annotated[int, Meta(ge=-1000, le=1000)]  # negative ones count from the end
Seed = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Share = Annotated[float, Meta(ge=0, le=1)]
Weight = Annotated[float, Meta(ge=0, le=1e6)]
Rate = Annotated[float, Meta(gt=0, le=1e6)]

Seeds = Annotated[tuple[Seed, ...], Meta(min_length=1, max_length=1000), DISTINCT]
Sizes = Annotated[tuple[Limit, ...], Meta(min_length=1, max_length=10_000), DISTINCT]
SizesOrZero = Annotated[tuple[LimitOrZero, ...], Meta(min_length=1, max_length=10_000), DISTINCT]
Weights = Annotated[tuple[Weight, ...], Meta(min_length=1, max_length=1000), DISTINCT]
Name = Annotated[str, Meta(min_length=1)]
DeviceName = Annotated[
    str, Meta(pattern=r"^(auto|cpu|mps|cuda(:[0-9]{1,3})?)$", description="auto, cpu, mps, cuda or cuda:1")
]
Pooling = Annotated[str, Meta(pattern="^(own|mean|cls|last|weighted)$", description="own, mean, cls, last or weighted")]
DtypeName = Annotated[
    str, Meta(pattern="^(auto|float32|bfloat16|float16|int8)$", description="auto, float32, bfloat16, float16 or int8")
]
Names = Annotated[tuple[Name, ...], DISTINCT]  # may be empty: all there are
SOME = Meta(min_length=1)  # beside a tuple of anything: ``Annotated[tuple[Gate, ...], SOME]``
SomeNames = Annotated[tuple[Name, ...], SOME, DISTINCT]


def whole_number(text: str) -> int | None:
    """The number that plain digits stand for, at most 18 of them; None for anything else (``²``, ``+2``, ``1_0``)."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else None


def real_number(text: str) -> float | None:
    """The finite number that a text stands for; None for anything else (``nan``, ``1_0``, ``1e999``)."""
    value = float(text) if DECIMAL.fullmatch(text) else math.inf
    return value if math.isfinite(value) else None


class BoundError(IsoglossError):
    """A setting outside its bounds; ``setting`` is its dotted name (``tasks[0].limit``)."""

    def __init__(self, what: str, *, where: Any = None, remedy: str | None = None, setting: str = "") -> None:
        super().__init__(what, where=where, remedy=remedy)
        self.setting = setting

    def at(self, where: Any) -> "BoundError":
        """The same, found in ``where``."""
        return BoundError(self.what, where=where, remedy=self.remedy, setting=self.setting)


def check_settings(config: Any, where: str = "settings") -> None:
    """Refuse the first setting of a frozen dataclass, or of one inside it, that is outside its declared bounds."""
    try:
        for path, hint, value in _settings(type(config), config, ""):
            _check(path, hint, value, strict=True)
    except BoundError as error:
        raise error.at(where) from None


def check_plain(config: type, settings: Mapping[str, Any]) -> None:
    """The same for settings as a file has them, before they become ``config``; wrong types are left to that step."""
    for path, hint, value in _settings(config, settings, ""):
        _check(path, hint, value, strict=False)


def describe_bounds(hint: Any) -> str:
    """``between 0 and 1``, ``at least 1 and at most 1,000,000``; empty where nothing is declared."""
    return "; ".join(filter(None, map(_words, _metas(hint))))


def _words(meta: Meta) -> str:
    if meta.ge is not None and meta.le == 1:
        return f"between {_number(meta.ge)} and 1"
    words = {"at least": meta.ge, "above": meta.gt, "at most": meta.le, "below": meta.lt}
    return " and ".join(f"{word} {_number(bound)}" for word, bound in words.items() if bound is not None)


@lru_cache(maxsize=256)
def hints_of(config: type) -> dict[str, Any]:
    """The declared types of a dataclass's settings, bounds included."""
    hints = get_type_hints(config, include_extras=True)
    return {field.name: hints[field.name] for field in fields(config) if field.init}


def _settings(config: type, settings: Any, prefix: str) -> Iterator[tuple[str, Any, Any]]:
    for name, hint in hints_of(config).items():
        if isinstance(settings, Mapping):
            if name in settings:
                yield f"{prefix}{name}", hint, settings[name]
        else:
            yield f"{prefix}{name}", hint, getattr(settings, name)


def _check(path: str, hint: Any, value: Any, strict: bool, depth: int = 0) -> None:
    """Check one value against its declared type; ``strict`` also refuses another type of value."""
    if depth > DEEPEST:
        raise BoundError(f"'{path[:80]}' is nested too deeply", setting=path[:80])
    if get_origin(hint) is Literal and isinstance(value, str):
        _check_word(path, value, get_args(hint))
    if get_origin(hint) in (Union, UnionType):
        hint = _member(hint, value)
    base, metas, distinct = _unwrap(hint)
    if isinstance(value, str):
        _check_text(path, value)
    elif isinstance(value, float) and not math.isfinite(value):
        raise BoundError(f"{path} is {value}", remedy=f"{path} must be a finite number", setting=path)
    if strict and not _fits(base, value):
        raise BoundError(f"{path} is {_shown(value)}", remedy=f"{path} must be {_kind(base)}", setting=path)
    for meta in metas:
        _check_meta(path, hint, meta, value)
    if distinct and isinstance(value, list | tuple):
        twice = [_shown(one) for place, one in enumerate(value) if one in value[:place]]
        if twice:
            raise BoundError(f"{path} has {twice[0]} twice", remedy="name each once", setting=path)
    for inner_path, inner_hint, inner in _inside(path, base, value):
        _check(inner_path, inner_hint, inner, strict, depth + 1)


def _inside(path: str, base: Any, value: Any) -> Iterator[tuple[str, Any, Any]]:
    """What a value holds, with its declared type: settings of a record, members of a list, values of a mapping."""
    if is_dataclass(base) and isinstance(base, type) and (is_dataclass(value) or isinstance(value, Mapping)):
        yield from _settings(base, value, f"{path}.")
        return
    inner = get_args(base) or (Any,)
    if isinstance(value, list | tuple):
        for place, one in enumerate(value):
            same = get_origin(base) is list or inner[-1] is Ellipsis
            yield f"{path}[{place}]", inner[0] if same or place >= len(inner) else inner[place], one
    elif isinstance(value, Mapping):
        for name, one in value.items():
            if isinstance(name, str):
                _check_text(f"a name in {path}", name)
            yield f"{path}.{name}", inner[-1], one


def _check_word(path: str, value: str, choices: tuple[Any, ...]) -> None:
    """Refuse a word that is none of the choices, where all are words: text may still stand for a number."""
    if value not in choices and all(isinstance(one, str) for one in choices):
        unknown = unknown_name(path, value, choices)
        raise BoundError(unknown.what, remedy=unknown.remedy, setting=path)


def _check_text(path: str, value: str) -> None:
    if len(value) > LONGEST_TEXT:
        raise BoundError(f"{path} has {len(value):,} characters", remedy=f"{LONGEST_TEXT:,} are the most", setting=path)
    if "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
        raise BoundError(f"{path} is not valid text", remedy="it holds a NUL or half a character", setting=path)


def _check_meta(path: str, hint: Any, meta: Meta, value: Any) -> None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        low = (meta.ge is not None and not value >= meta.ge) or (meta.gt is not None and not value > meta.gt)
        high = (meta.le is not None and not value <= meta.le) or (meta.lt is not None and not value < meta.lt)
        if low or high:
            raise BoundError(
                f"{path} is {_shown(value)}", remedy=f"{path} must be {describe_bounds(hint)}", setting=path
            )
    if isinstance(value, str) and meta.pattern is not None and not re.search(meta.pattern, value):
        raise BoundError(f"{path} is {_shown(value)}", remedy=f"{path} must be {meta.description}", setting=path)
    if isinstance(value, list | tuple | str):
        if meta.min_length is not None and len(value) < meta.min_length:
            raise BoundError(f"{path} is empty", remedy="name at least one", setting=path)
        if meta.max_length is not None and len(value) > meta.max_length:
            raise BoundError(
                f"{path} has {len(value):,} values", remedy=f"{meta.max_length:,} are the most", setting=path
            )


def _member(hint: Any, value: Any) -> Any:
    """The member of a union that a value is of; the first one that is not None where none fits."""
    members = [member for member in get_args(hint) if member is not NoneType]
    if value is None and len(members) < len(get_args(hint)):
        return Any
    return next((member for member in members if _fits(_unwrap(member)[0], value)), members[0])


def _unwrap(hint: Any) -> tuple[Any, tuple[Meta, ...], bool]:
    """The plain type of an annotation, its bounds, and whether values must be distinct."""
    if get_origin(hint) is not Annotated:
        return hint, (), False
    base, *marks = get_args(hint)
    return base, tuple(mark for mark in marks if isinstance(mark, Meta)), DISTINCT in marks


def _metas(hint: Any) -> tuple[Meta, ...]:
    members = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return tuple(meta for member in members for meta in _unwrap(member)[1])


def _fits(base: Any, value: Any) -> bool:
    if get_origin(base) is Literal:
        return value in get_args(base)
    kind = get_origin(base) or base
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind in (tuple, list):
        return isinstance(value, list | tuple)
    return kind is Any or not isinstance(kind, type) or isinstance(value, kind)


def _kind(base: Any) -> str:
    if get_origin(base) is Literal:
        return " or ".join(f"'{one}'" for one in get_args(base))
    names = {int: "a whole number", float: "a number", str: "text", bool: "true or false", tuple: "a list"}
    kind = get_origin(base) or base
    return names.get(kind, f"a {getattr(kind, '__name__', kind)}")


def _shown(value: Any) -> str:
    """A value in a message, cut where it is long."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**15:
        return f"a number of {len(str(abs(value)))} digits" if value.bit_length() < 10_000 else "an enormous number"
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def _number(bound: float) -> str:
    return f"{bound:,}" if isinstance(bound, int) else f"{bound:g}"
