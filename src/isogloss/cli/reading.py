"""How the text of an option is read: lists, numbers, settings; and where a report goes."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isogloss.bounds import whole_number
from isogloss.errors import IsoglossError
from isogloss.runs.yaml_text import read_value

_EXPONENT = re.compile(r"[+-]?\d+(\.\d*)?[eE][+-]?\d+")


def listed(text: str, separator: str = ",") -> tuple[str, ...]:
    """``"en, ru"`` as two words."""
    return tuple(piece.strip() for piece in text.split(separator) if piece.strip())


def numbers(text: str, option: str = "--seeds") -> tuple[int, ...]:
    """``"0,1,2"`` as numbers."""
    if any(whole_number(piece) is None for piece in listed(text)):
        raise IsoglossError(f"'{text}' is not a list of numbers", where=option, remedy=f"as in {option} 0,1,2")
    return tuple(int(piece) for piece in listed(text))


def fractions(text: str, option: str) -> tuple[float, ...]:
    """``"0.005,2e-2"`` as numbers."""
    try:
        return tuple(float(piece) for piece in listed(text))
    except ValueError as error:
        raise IsoglossError(
            f"'{text}' is not a list of numbers", where=option, remedy=f"as in {option} 0.005,0.02"
        ) from error


def by_language(pieces: Sequence[str] | None, option: str) -> dict[str, str]:
    """``["en=./bert-en"]`` as names by language."""
    found: dict[str, str] = {}
    for piece in pieces or ():
        code, equals, name = piece.partition("=")
        if not equals or not code or not name:
            raise IsoglossError(f"'{piece}' is not LANG=NAME", where=option, remedy="as in en=./bert-en")
        if code in found:
            raise IsoglossError(f"'{code}' is named twice", where=option, remedy="name each language once")
        found[code] = name
    return found


def amounts_of(pieces: Sequence[str], option: str = "--amounts") -> dict[str, float]:
    """``["de=3.1"]`` as numbers by language."""
    found = by_language(pieces, option)
    try:
        return {code: float(number) for code, number in found.items()}
    except ValueError as error:
        remedy = "as in de=3.1,sw=0.02, or name a table with the columns language and amount"
        raise IsoglossError("an amount is not a number", where=option, remedy=remedy) from error


def run_folder(study: str, model: str) -> Path:
    """Where the report of a study of one model goes: ``runs/inspect-lab-families``."""
    name = model if model.startswith("lab:") else Path(model.partition("?")[0]).name  # a lab's knobs tell runs apart
    return Path("runs") / f"{study}-{re.sub('[:?&=/]+', '-', name)}"


def settings(pieces: Sequence[str] | None, option: str = "--set") -> dict[str, Any]:
    """``["batch=16", "training.learning_rate=3e-5"]`` as settings by name: the one reader of ``NAME=VALUE``."""
    found: dict[str, Any] = {}
    for piece in pieces or ():
        name, equals, value = piece.partition("=")
        if not equals or not name.strip():
            raise IsoglossError(f"'{piece}' is not NAME=VALUE", where=option, remedy=f"as in {option} epochs=2")
        found[name.strip().replace("-", "_")] = _value(value, f"{option} {piece}")
    return found


def named(pieces: Sequence[str] | None, option: str, example: str) -> dict[str, str]:
    """``["reversal=reversal:0.5"]`` as text by name."""
    found: dict[str, str] = {}
    for piece in pieces or ():
        name, equals, value = (part.strip() for part in piece.partition("="))
        if not equals or not name or not value or ":" in name:
            raise IsoglossError(f"'{piece}' is not NAME=VALUE", where=option, remedy=f"as in {option} {example}")
        if name in found:
            raise IsoglossError(f"'{name}' is given twice", where=option, remedy="give each setting once")
        found[name] = value
    return found


def _value(text: str, where: str) -> Any:
    """As YAML reads it (numbers, true, null, lists, text), but for 3e-5, which YAML 1.1 takes for text."""
    value = read_value(text, where)
    if isinstance(value, str) and _EXPONENT.fullmatch(value):
        return float(value)
    return value
