"""Study files and recipes: YAML in, frozen settings out, with errors that name the line and the nearest right key."""

import dataclasses
import re
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

import msgspec
import yaml

from isogloss.bounds import BoundError, check_plain
from isogloss.errors import IsoglossError, unknown_name
from isogloss.runs.yaml_text import read_documents, read_settings_text

Config = TypeVar("Config")


class StudyFile(msgspec.Struct, frozen=True):
    """A study file: which study, its settings as plain data, and on which line each setting stands."""

    study: str
    settings: dict[str, Any]
    lines: dict[str, int]
    path: str


def read_study_files(path: Path) -> list[StudyFile]:
    """Read a study file: ``study: NAME`` and its settings; several studies stand apart by ``---`` lines."""
    if not path.is_file():
        remedy = "any study command prints one: isogloss inspect MODEL --print-config > study.yaml"
        what = "this is a folder, not a study file" if path.is_dir() else "there is no such study file"
        raise IsoglossError(what, where=path, remedy=remedy)
    documents = read_documents(read_settings_text(path), str(path))
    if not documents:
        raise IsoglossError("this study file is empty", where=f"{path}:1", remedy="begin with e.g. 'study: inspect'")
    return [_study(document, first, lines, path) for document, first, lines in documents]


def _study(document: Any, first: int, lines: dict[str, int], path: Path) -> StudyFile:
    if not isinstance(document, dict) or not isinstance(document.get("study"), str):
        remedy = "begin with e.g. 'study: inspect'"
        raise IsoglossError("a study file is a mapping with the key 'study'", where=f"{path}:{first}", remedy=remedy)
    return StudyFile(document.pop("study"), document, lines, str(path))


def build(
    config: type[Config], settings: dict[str, Any], lines: dict[str, int] | None = None, path: str = ""
) -> Config:
    """Turn plain settings into ``config`` (a frozen dataclass); unknown keys and wrong types are errors."""
    lines = lines or {}
    _check_keys(config, settings, "", lines, path)
    try:
        check_plain(config, settings)
        return msgspec.convert(settings, config)
    except BoundError as error:
        raise error.at(_where(error.setting, lines, path)) from error
    except msgspec.ValidationError as error:
        found = re.search(r"`\$\.?([^`]*)`", str(error))
        key = found.group(1) if found else ""
        what = re.sub(r" - at `.*", "", str(error)).replace("`", "'")
        raise IsoglossError(
            f"setting '{key}': {what}" if key else what,
            where=_where(key, lines, path),
            remedy="compare with --print-config",
        ) from error


def dump(study: str, config: Any) -> str:
    """The study file that stands for these settings, all of them, a line each in the order of the dataclass."""
    settings = {
        one.name: msgspec.to_builtins(getattr(config, one.name)) for one in dataclasses.fields(config) if one.init
    }
    return "".join(_dump_one(key, value) for key, value in {"study": study, **settings}.items())


def _dump_one(key: str, value: Any) -> str:
    flow = None if isinstance(value, list | dict) else False
    return str(yaml.safe_dump({key: value}, default_flow_style=flow, sort_keys=False, allow_unicode=True, width=100))


def _check_keys(config: type, settings: Any, prefix: str, lines: dict[str, int], path: str) -> None:
    """Refuse keys that the dataclass, or a dataclass inside it, does not have."""
    if not dataclasses.is_dataclass(config) or not isinstance(settings, dict):
        return
    hints = get_type_hints(config)
    known = [field.name for field in dataclasses.fields(config) if field.init]
    for key, value in settings.items():
        if key not in known:
            raise unknown_name("setting", str(key), known, where=_where(f"{prefix}{key}", lines, path))
        for inner in (hints[key], *get_args(hints[key])):
            _check_keys(inner, value, f"{prefix}{key}.", lines, path)
            for item in value if isinstance(value, list) else ():
                _check_keys(inner, item, f"{prefix}{key}.", lines, path)


def _where(key: str, lines: dict[str, int], path: str) -> str | None:
    """``file:line`` of the key, or of the nearest key above it."""
    parts = re.sub(r"\[[^]]*\]", "", key).split(".")
    for size in range(len(parts), 0, -1):
        if (name := ".".join(parts[:size])) in lines:
            return f"{path}:{lines[name]}"
    return path or None
