"""``--print-config`` keeps what a preset says of its values, and writes every setting out."""

import dataclasses
from dataclasses import replace
from pathlib import Path

import pytest

from isogloss.runs.config import build, dump, read_study_files
from isogloss.studies.names import STUDIES
from isogloss.studies.shared.study_presets import annotated_dump, load_study_preset, study_presets
from isogloss.studies.study import get_study

PRESETS = [(study, name) for study in STUDIES for name in study_presets(study)]


@pytest.mark.parametrize(("study", "name"), PRESETS)
def test_a_preset_is_printed_with_its_comments_and_reads_back_the_same(study: str, name: str, tmp_path: Path) -> None:
    kind = get_study(study).config
    config = load_study_preset(study, name, kind)
    printed = annotated_dump(study, config)
    (tmp_path / "study.yaml").write_text(printed)
    (file,) = read_study_files(tmp_path / "study.yaml")
    assert build(kind, file.settings) == config
    assert set(file.settings) == {field.name for field in dataclasses.fields(kind)}
    source = (Path(__file__).parents[2] / f"src/isogloss/studies/presets/{study}-{name}.yaml").read_text()
    missing = [line for line in source.splitlines() if "#" in line and line not in printed.splitlines()]
    assert missing == []


def test_a_changed_value_loses_the_source_of_the_old_one() -> None:
    config = load_study_preset("fuse", "paper", get_study("fuse").config)
    printed = annotated_dump("fuse", replace(config, parallel_limit=7, gates=("gate",)))
    assert "equation 3 as it stands" not in printed and "parallel_limit: 7" in printed
    assert "# Table VI: 20 sentences" in printed and "XTREME's 40" in printed


def test_settings_of_no_preset_are_printed_plainly() -> None:
    config = get_study("glance").config()
    assert annotated_dump("glance", config) == dump("glance", config)
