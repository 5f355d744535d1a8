"""Reference of settings: every key of study files, recipes, fine-tunings and the lab, with type and default."""

import ast
import dataclasses
import inspect
import io
import textwrap
import tokenize
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import yaml

PLAIN = {int: "whole number", float: "number", str: "text", bool: "true or false", dict: "mapping", Any: "anything"}

MEANINGS: dict[str, str] = yaml.safe_load(Path(__file__).with_name("meanings.yaml").read_text(encoding="utf-8"))

STUDY_FILES = """# Study files

A study file is YAML: the key `study`, then settings. `isogloss run FILE` runs it. Every study command
prints its own file:

    isogloss inspect lab:families --data lab --print-config

Several studies stand in one file with `---` between them. Keys that are left out keep the default below. A misspelt key
is an error that names the line and the nearest key.
"""
RECIPES = """# Recipes and other settings

A recipe is the YAML file of a pretraining ([guide](../pretrain.md)). The sections below are its keys, then the
settings of fine-tunings (`--set name=value`, [guide](../transfer.md)) and the knobs of the lab ([guide](../lab.md)).

    isogloss pretrain --preset lab --data lab:families --print-config
"""


def words_for(hint: Any) -> str:
    """A type in words: ``whole number from 1``, ``list of text``, ``one of `bpe`, `unigram```."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        words = _bounded(words_for(inner[0]), [one for one in inner[1:] if isinstance(one, msgspec.Meta)])
    elif origin is Literal:
        words = "one of " + ", ".join(f"`{one}`" for one in inner)
    elif origin in (Union, UnionType):
        words = " or ".join("empty" if one is NoneType else words_for(one) for one in inner)
    elif origin in (tuple, list):
        words = f"list of {words_for(inner[0])}"
    elif origin is not None and inspect.isclass(origin) and issubclass(origin, Mapping):
        words = f"mapping of {words_for(inner[0])} to {words_for(inner[1])}"
    elif dataclasses.is_dataclass(hint):
        assert isinstance(hint, type)
        words = f"[{hint.__name__}](#{anchor_of(hint)})"
    else:
        words = PLAIN.get(origin or hint, getattr(hint, "__name__", str(hint)))
    return words


def _bounded(words: str, metas: list[msgspec.Meta]) -> str:
    for meta in metas:
        low, high = meta.ge if meta.ge is not None else meta.gt, meta.le if meta.le is not None else meta.lt
        if meta.description:
            words = meta.description
        if low is not None:
            words += f" above {low:g}" if meta.gt is not None else f" from {low:g}"
        if high is not None and high < 10**6:
            words += f" to {high:g}" if meta.lt is None else f" below {high:g}"
        if meta.min_length and words.startswith("list"):
            words += f", at least {meta.min_length}"
    return words


def anchor_of(kind: type) -> str:
    """The heading of a record: the study's name is part of it, since every study has a ``Config``."""
    return title_of(kind).lower().replace(" ", "-")


def title_of(kind: type) -> str:
    if kind.__name__ != "Config":
        return kind.__name__
    return kind.__module__.split(".")[2]


def comments_of(kind: type) -> dict[str, str]:
    """The comment behind each field of a dataclass, or on the line above it."""
    source = textwrap.dedent(inspect.getsource(kind))
    comments = {
        token.start[0]: token.string.lstrip("# ").strip()
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT and "noqa" not in token.string and "fmt:" not in token.string
    }
    body = ast.parse(source).body[0]
    assert isinstance(body, ast.ClassDef)
    fields = [one for one in body.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]
    return {
        one.target.id: next((comments[n] for n in range(one.lineno, (one.end_lineno or 0) + 1) if n in comments), "")
        for one in fields
        if isinstance(one.target, ast.Name)
    }


def all_comments(kind: type) -> dict[str, str]:
    """Comments of a dataclass and of those it inherits from."""
    bases = [one for one in reversed(kind.__mro__) if dataclasses.is_dataclass(one)]
    return {name: text for one in bases for name, text in comments_of(one).items()}


def default_of(field: dataclasses.Field[Any]) -> str:
    if field.default is not dataclasses.MISSING:
        value = field.default
    elif field.default_factory is not dataclasses.MISSING:
        value = field.default_factory()
    else:
        return "required"
    if dataclasses.is_dataclass(value):
        return "its defaults"
    plain = msgspec.to_builtins(value)
    if plain in ("", [], {}, None, ()) and not isinstance(plain, bool | int | float):
        return "empty"
    if isinstance(plain, tuple | list):
        plain = ", ".join(str(one) for one in plain)
    text = str(plain).lower() if isinstance(plain, bool) else str(plain)
    return f"`{text}`" if len(text) <= 60 else "see `--print-config`"


def meaning_of(kind: type, key: str) -> str:
    """What a key of this record means, or of all records."""
    return MEANINGS.get(f"{title_of(kind)}.{key}") or MEANINGS.get(key, "")


def table_of(kind: type) -> str:
    """One row per key: name, type, default, meaning."""
    hints = get_type_hints(kind, include_extras=True)
    comments = all_comments(kind)
    lines = ["| key | type | default | meaning |", "|---|---|---|---|"]
    for field in dataclasses.fields(kind):
        if field.init:
            parts = (
                words_for(hints[field.name]),
                default_of(field),
                comments.get(field.name) or meaning_of(kind, field.name),
            )
            lines.append("| " + " | ".join([f"`{field.name}`", *(part.replace("|", "\\|") for part in parts)]) + " |")
    return "\n".join(lines)


def records_in(kind: type) -> Iterator[type]:
    """``kind`` and every dataclass that its settings hold, each once."""
    seen: list[type] = []
    waiting: list[Any] = [kind]
    while waiting:
        one = waiting.pop(0)
        if dataclasses.is_dataclass(one) and one not in seen:
            assert isinstance(one, type)
            seen.append(one)
            waiting += get_type_hints(one, include_extras=True).values()
        waiting += get_args(one)
    yield from seen


def section(kind: type, level: int = 2, about: str = "") -> str:
    text = about or inspect.cleandoc(kind.__doc__ or "")
    return f"{'#' * level} {title_of(kind)}\n\n{text}\n\n{table_of(kind)}\n"


def study_files_page() -> str:
    """``reference/study-files.md``: a section per study, then the records that several of them hold."""
    from isogloss.studies.names import STUDIES
    from isogloss.studies.study import get_study

    parts, shared = [STUDY_FILES], {}
    for name in sorted(STUDIES):
        study = get_study(name)
        first, *rest = records_in(study.config)
        words = inspect.cleandoc(first.__doc__ or "")
        parts.append(section(first, about=f"{study.question} [Guide](../{guide_of(name)})\n\n{words}"))
        shared.update({one.__qualname__ + one.__module__: one for one in rest})
    parts += [section(one) for one in sorted(shared.values(), key=lambda one: one.__name__)]
    return "\n".join(parts)


def guide_of(study: str) -> str:
    return {"transfer": "transfer.md", "pretrain": "pretrain.md", "glance": "lab.md"}.get(study, f"studies/{study}.md")


def settings_page() -> str:
    """``reference/settings.md``: recipes, fine-tunings, the lab."""
    from isogloss.corpora.lab import LabConfig
    from isogloss.pretrain import Recipe
    from isogloss.transfer import Settings

    kinds = [*records_in(Recipe), *records_in(Settings), *records_in(LabConfig)]
    return "\n".join([RECIPES, *(section(one) for one in kinds)])
