"""Presets: settings with their source, as YAML files that come with Isogloss."""

from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import msgspec
import yaml

from isogloss.bounds import Count
from isogloss.errors import IsoglossError, unknown_name
from isogloss.transfer.settings import Settings


@dataclass(frozen=True)
class Preset:
    """A paper's values: what is fine-tuned how, and the grid its settings were chosen from."""

    about: str
    task: str = ""  # empty: for any task
    options: dict[str, Any] = field(default_factory=dict)
    method: str = "plain"
    settings: Settings = field(default_factory=Settings)
    search: dict[str, list[Any]] = field(default_factory=dict)
    draws: Count | None = None


def preset_names() -> list[str]:
    """All presets."""
    folder = files("isogloss.transfer").joinpath("presets")
    return sorted(entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml"))


def load_preset(name: str) -> Preset:
    """The preset of that name."""
    if name not in preset_names():
        raise unknown_name("preset", name, preset_names())
    text = files("isogloss.transfer").joinpath("presets", f"{name}.yaml").read_text(encoding="utf-8")
    try:
        return msgspec.convert(yaml.safe_load(text), Preset, strict=True)
    except msgspec.ValidationError as error:
        raise IsoglossError(str(error), where=f"preset {name}", remedy="fix this setting") from error
