"""Presets of studies: study files that come with Isogloss, one for the lab and one of the paper's size."""

from importlib.resources import as_file, files
from typing import TypeVar

from isogloss.errors import unknown_name
from isogloss.runs.config import build, read_study_files

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
