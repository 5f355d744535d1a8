"""Presets of studies: study files that come with Isogloss, one for the lab and one of the paper's size."""

import re
from importlib.resources import as_file, files
from itertools import takewhile
from typing import Any, TypeVar

from isogloss.errors import unknown_name
from isogloss.runs.config import build, dump, read_study_files

Config = TypeVar("Config")


def study_presets(study: str) -> list[str]:
    """The names of a study's presets: ``lab``, ``paper``."""
    entries = [entry.name for entry in files("isogloss.studies").joinpath("presets").iterdir()]
    start = f"{study}-"
    return sorted(name.removeprefix(start).removesuffix(".yaml") for name in entries if name.startswith(start))


def load_study_preset(study: str, name: str, config: type[Config]) -> Config:
    """The settings of a preset."""
    if name not in study_presets(study):
        raise unknown_name("preset", name, study_presets(study), where=f"study '{study}'")
    with as_file(files("isogloss.studies").joinpath("presets", f"{study}-{name}.yaml")) as path:
        (file,) = read_study_files(path)
    return build(config, file.settings, file.lines, file.path)


def annotated_dump(study: str, config: Any) -> str:
    """The study file of these settings, all of them written out; a setting that is as in the preset it came from
    stands as it stands there, with its comments: where each value is from. The preset's heading stays if nothing of
    the preset was changed."""
    plain = _blocks(dump(study, config))
    noted: dict[str, str] = {}
    heading = ""
    same: list[str] = []
    for name in study_presets(study):
        preset = load_study_preset(study, name, type(config))
        equal = [key for key in plain if key != "study" and getattr(preset, key) == getattr(config, key)]
        if len(equal) > len(same):
            text = files("isogloss.studies").joinpath("presets", f"{study}-{name}.yaml").read_text(encoding="utf-8")
            same, noted, heading = equal, _blocks(text), _heading(text)
    kept = {key: noted[key] for key in same if key in noted}
    return heading * (len(kept) >= len(noted) - 1) + "".join(kept.get(key, block) for key, block in plain.items())


def _heading(text: str) -> str:
    """The comment lines that open a file."""
    return "".join(takewhile(lambda line: line.startswith("#"), text.splitlines(keepends=True)))


def _blocks(text: str) -> dict[str, str]:
    """A study file cut at its settings, each with the comment lines right above it."""
    blocks: dict[str, str] = {}
    above, key = "", ""
    for line in text.splitlines(keepends=True):
        if line.startswith("#"):
            above += line
            continue
        if found := re.match(r"([a-z_]+):", line):
            key = found.group(1)
            blocks[key], above = above if blocks else "", ""
        blocks[key] += above + line
        above = ""
    return blocks
