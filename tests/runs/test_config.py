from dataclasses import dataclass, field
from pathlib import Path

import pytest

from isogloss.errors import IsoglossError
from isogloss.runs.config import build, dump, read_study_files


@dataclass(frozen=True)
class Inner:
    layers: tuple[int, ...] = (1, 2)
    rate: float = 1e-3


@dataclass(frozen=True)
class Config:
    model: str
    seeds: tuple[int, ...] = (0, 1)
    inner: Inner = field(default_factory=Inner)
    several: tuple[Inner, ...] = ()


def read(path: Path, text: str) -> Config:
    path.write_text(text)
    (file,) = read_study_files(path)
    return build(Config, file.settings, file.lines, file.path)


def test_a_study_file_becomes_settings_and_settings_become_the_same_file(tmp_path: Path):
    config = Config("m", seeds=(3,), inner=Inner((0,), 0.5), several=(Inner(),))
    path = tmp_path / "study.yaml"
    assert read(path, dump("toy", config)) == config
    assert read_study_files(path)[0].study == "toy"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("study: toy\nmodel: m\nseed: [1]\n", 3, "unknown setting 'seed'; did you mean 'seeds'"),
        ("study: toy\nmodel: m\ninner:\n  layer: [1]\n", 4, "did you mean 'layers'"),
        ("study: toy\nmodel: m\nseveral:\n- rate: 1.0\n- layrs: [1]\n", 5, "did you mean 'layers'"),
        ("study: toy\nmodel: m\nseeds: one\n", 3, "setting 'seeds'"),
        ("study: toy\nmodel: m\ninner:\n  rate: fast\n", 4, "setting 'inner.rate'"),
        ("model: m\n", 1, "the key 'study'"),
        ("study: toy\nmodel: [\n", 3, "not valid YAML"),
        ("", 1, "empty"),
    ],
)
def test_a_mistake_names_file_line_and_cause(tmp_path: Path, text: str, line: int, message: str):
    path = tmp_path / "study.yaml"
    with pytest.raises(IsoglossError, match=message) as caught:
        read(path, text)
    assert caught.value.where == f"{path}:{line}"


def test_a_missing_setting_is_named(tmp_path: Path):
    with pytest.raises(IsoglossError, match="model"):
        read(tmp_path / "study.yaml", "study: toy\n")


def test_a_missing_file_says_how_to_make_one(tmp_path: Path):
    with pytest.raises(IsoglossError, match="--print-config"):
        read_study_files(tmp_path / "none.yaml")


def test_yaml_that_would_run_code_is_refused(tmp_path: Path):
    path = tmp_path / "study.yaml"
    path.write_text("study: !!python/object/apply:os.system ['true']\n")
    with pytest.raises(IsoglossError, match="not valid YAML"):
        read_study_files(path)


def test_one_file_may_hold_several_studies_and_lines_still_count_from_its_top(tmp_path: Path):
    path = tmp_path / "study.yaml"
    path.write_text("study: toy\nmodel: a\n---\nstudy: toy\nmodle: b\n")
    first, second = read_study_files(path)
    assert build(Config, first.settings, first.lines, first.path).model == "a"
    with pytest.raises(IsoglossError, match="did you mean 'model'") as caught:
        build(Config, second.settings, second.lines, second.path)
    assert caught.value.where == f"{path}:5"


def test_a_folder_is_told_from_a_missing_file(tmp_path: Path):
    with pytest.raises(IsoglossError, match="this is a folder, not a study file"):
        read_study_files(tmp_path)
    with pytest.raises(IsoglossError, match="there is no such study file"):
        read_study_files(tmp_path / "no.yaml")
