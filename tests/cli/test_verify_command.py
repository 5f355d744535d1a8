"""``isogloss verify``: a run that comes out again, records that other code made, and a folder without a run."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from isogloss.runs.config import dump
from isogloss.studies import glance
from isogloss.studies.study import Study

TINY = glance.Config(sentences=300, steps=4, pool=40)


@pytest.fixture
def run(isogloss: Callable, tmp_path: Path) -> Path:
    path = tmp_path / "study.yaml"
    path.write_text(dump("glance", TINY))
    assert isogloss("run", path, "--out", tmp_path / "run", "--engine", "inline", "--json").code == 0
    return tmp_path / "run"


def test_a_run_comes_out_again_and_says_within_which_tolerance(isogloss: Callable, run: Path):
    ran = isogloss("verify", run)
    assert ran.code == 0, ran.out + ran.err
    assert "same" in ran.out.splitlines()[0] and "come out within 0.0001" in ran.out
    sampled = json.loads(isogloss("verify", run, "--sample", "1", "--json").out)
    assert len(sampled["cells"]) == 1 and sampled["same"] and sampled["cells"][0]["values"] > 0


def test_records_that_the_store_does_not_give_end_with_code_one(
    isogloss: Callable, run: Path, monkeypatch: pytest.MonkeyPatch
):
    honest = Study.summarise

    def other(self, plan, results):
        result = honest(self, plan, results)
        result.records["value"] = result.records["value"] + 0.1
        return result

    monkeypatch.setattr(Study, "summarise", other)
    ran = isogloss("verify", run, "--sample", "1")
    assert ran.code == 1 and "different by up to" in ran.out


def test_a_folder_without_a_run_is_a_users_mistake(isogloss: Callable, tmp_path: Path):
    ran = isogloss("verify", tmp_path)
    assert ran.code == 2 and "no such study file" in ran.err
