"""A model's name with the settings it is opened with: ``intfloat/multilingual-e5-base?prompt=query: &dim=256``.

One string says which pipeline was read. It stands in study files, in the names of stored results and on pages, so
that two settings of one model are two models, and a model without settings is called as before.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote, unquote

from isogloss.errors import IsoglossError, unknown_name

HUB_NAME = re.compile(r"[\w-][\w.-]{0,95}(/[\w-][\w.-]{0,95})?")
OWN = "own"  # the pooling that a pipeline is deployed with
READABLE = " :/.,;!'()*~"  # need no escape in a name


@dataclass(frozen=True)
class ModelName:
    """Where a model is found, and how it is to be opened. Settings at None are the model's own."""

    path: str
    prompt: str | None = None  # the name of one of its prompts, or a text; "" reads without a prompt
    pooling: str | None = None  # of the layers; the pipeline's output is always pooled as deployed
    dim: int | None = None  # the output is cut to its first dimensions (Matryoshka)
    adapter: str | None = None  # a folder or hub name with adapter_config.json, or the name of a folder in the model's
    attention: str | None = None  # "full": tokens of a decoder see the whole text
    allow_pickle: bool = False
    trust_remote_code: bool = False
    content: str | None = None  # a hash of the pipeline's and the adapter's files, put there when a study is planned

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``PATH?setting=value&setting=value``; a path that exists as it is has no settings."""
        path, mark, query = text.partition("?")
        if not mark or Path(text).expanduser().exists():
            return cls(text)
        given: dict[str, Any] = {}
        for pair in query.split("&"):
            key, _, value = pair.partition("=")
            if key not in SETTINGS:
                raise unknown_name("setting of a model", key, SETTINGS, where=text)
            given[key] = _read(key, unquote(value), text)
        return cls(path, **given)

    def __str__(self) -> str:
        pairs = [
            f"{name}={quote(_written(value), safe=READABLE)}"
            for name in SETTINGS
            if (value := getattr(self, name)) is not None and value is not False
        ]
        return f"{self.path}?{'&'.join(pairs)}" if pairs else self.path

    def with_settings(self, given: Mapping[str, Any]) -> Self:
        """The same model with the settings that ``given`` has; what is None or False there stays as it is."""
        return replace(self, **{key: value for key, value in given.items() if value is not None and value is not False})

    def label(self) -> str:
        """A short name for people: the folder's, and what was set."""
        shown = [f"prompt '{self.prompt}'" if self.prompt else "no prompt"] if self.prompt is not None else []
        shown += [f"{self.pooling} pooling"] if self.pooling else []
        shown += [f"{self.dim} dimensions"] if self.dim else []
        shown += [f"adapter {Path(self.adapter).name}"] if self.adapter else []
        shown += [f"{self.attention} attention"] if self.attention else []
        name = Path(self.path).name
        return f"{name} ({', '.join(shown)})" if shown else name


SETTINGS = tuple(field.name for field in fields(ModelName) if field.name != "path")
FLAGS = ("allow_pickle", "trust_remote_code")


def _read(key: str, value: str, where: str) -> Any:
    if key in FLAGS:
        if value not in {"yes", "no"}:
            raise IsoglossError(f"{key} is '{value}'", where=where, remedy=f"write {key}=yes or {key}=no")
        return value == "yes"
    if key == "attention" and value != "full":
        raise IsoglossError(f"attention is '{value}'", where=where, remedy="write attention=full, or leave it out")
    if key == "dim":
        if not value.isdecimal() or int(value) < 1:
            raise IsoglossError(f"'{value}' is not a number of dimensions", where=where, remedy="as in dim=256")
        return int(value)
    return value


def _written(value: object) -> str:
    return "yes" if value is True else str(value)


def check_hub_name(name: str) -> None:
    """Refuse a name that can be neither a folder, which is not there, nor a Hugging Face model."""
    if not name.strip():
        raise IsoglossError("no model is named", remedy="name a model folder or a Hugging Face model")
    if not HUB_NAME.fullmatch(name):
        raise IsoglossError("no such folder", where=name, remedy="name a model folder or a Hugging Face model")


def names_of_layers(depth: int) -> list[str]:
    """``['embedding', 'layer 1', ..., 'layer L']``."""
    return ["embedding", *(f"layer {number}" for number in range(1, depth + 1))]
