"""Files and stores that are not as they should be: a message naming the culprit, exit code 2, nothing lost."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from isogloss.runs.config import dump
from isogloss.studies import glance

TINY = glance.Config(sentences=300, steps=4, pool=40)


@pytest.fixture
def study_file(tmp_path: Path) -> Path:
    path = tmp_path / "study.yaml"
    path.write_text(dump("glance", TINY))
    return path


def test_a_run_writes_its_folder_and_a_second_one_computes_nothing(
    isogloss: Callable, study_file: Path, tmp_path: Path
):
    first = isogloss("run", study_file, "--out", tmp_path / "run", "--engine", "inline", "--json")
    assert first.code == 0
    said = json.loads(first.out)
    assert len(said["findings"]) == 4
    assert {"index.html", "results.parquet", "findings.json", "study.yaml"} <= {
        path.name for path in (tmp_path / "run").iterdir()
    }
    assert (tmp_path / "run" / "study.yaml").read_text() == study_file.read_text()
    again = isogloss("run", study_file, "--out", tmp_path / "run", "--engine", "inline", "--json")
    assert "done in" not in again.err
    assert json.loads(again.out)["findings"] == said["findings"]


def test_a_truncated_result_is_named_and_computed_again_and_the_others_are_kept(
    isogloss: Callable, study_file: Path, tmp_path: Path, isogloss_home: Path
):
    assert isogloss("run", study_file, "--out", tmp_path / "run", "--engine", "inline").code == 0
    results = sorted((isogloss_home / "store" / "results").rglob("*.json"))
    broken = results[0]
    broken.write_bytes(broken.read_bytes()[:50])
    ran = isogloss("run", study_file, "--out", tmp_path / "run", "--engine", "inline")
    assert ran.code == 0
    assert broken.name in ran.err and "computed again" in ran.err
    assert "1/5 cells" not in ran.err  # only the broken one was missing
    again = isogloss("run", study_file, "--out", tmp_path / "run", "--engine", "inline")
    assert again.code == 0 and "computed again" not in again.err


def test_a_store_of_a_newer_version_is_refused(
    isogloss: Callable, study_file: Path, tmp_path: Path, isogloss_home: Path
):
    (isogloss_home / "store").mkdir(parents=True)
    (isogloss_home / "store" / "store.json").write_text('{"format": 99}')
    ran = isogloss("run", study_file, "--out", tmp_path / "run")
    assert ran.code == 2
    assert "newer Isogloss" in ran.err
    assert "store.json" in ran.err


def test_an_unwritable_folder_is_said_before_any_work(isogloss: Callable, study_file: Path, tmp_path: Path):
    (tmp_path / "file").write_text("")
    ran = isogloss("run", study_file, "--out", tmp_path / "file" / "run")
    assert ran.code == 2
    assert "cannot create this folder" in ran.err


def test_a_misspelt_setting_names_file_line_and_the_right_one(isogloss: Callable, study_file: Path, tmp_path: Path):
    study_file.write_text(study_file.read_text().replace("pool:", "pol:"))
    ran = isogloss("run", study_file, "--out", tmp_path / "run")
    assert ran.code == 2
    assert "study.yaml:6" in ran.err
    assert "did you mean 'pool'" in ran.err


def test_an_impossible_preset_of_the_lab_is_a_users_mistake(isogloss: Callable, study_file: Path, tmp_path: Path):
    study_file.write_text(study_file.read_text().replace("twins", "twinz"))
    ran = isogloss("run", study_file, "--out", tmp_path / "run", "--engine", "inline")
    assert ran.code == 2
    assert "did you mean 'twins'" in ran.err


def test_demo_prints_the_studies_it_stands_for_and_run_reads_them(isogloss: Callable, tmp_path: Path):
    printed = isogloss("demo", "--size", "tiny", "--print-config")
    assert printed.code == 0
    path = tmp_path / "demo.yaml"
    path.write_text(printed.out)
    again = isogloss("run", path, "--print-config")
    assert again.code == 0
    assert again.out == printed.out.replace("---\n", "")


def test_demo_refuses_an_unknown_size(isogloss: Callable):
    ran = isogloss("demo", "--size", "tinny")
    assert ran.code == 2
    assert "did you mean 'tiny'" in ran.err
