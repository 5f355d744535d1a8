"""Every study command has the same options of running, and every study of a paper its two presets."""

from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from isogloss.cli import app, register
from isogloss.cli.running import ModelOptions, Running
from isogloss.studies.shared.study_presets import study_presets

PAPERS = ("ablate", "align", "emerge", "forget", "fuse", "locate", "preserve")
RUNNING = {"engine", "workers", "address", "resume", "as_json", "print_config", "plugin", "dry_run"}


def options(command: str) -> set[str | None]:
    register()
    return {parameter.name for parameter in typer.main.get_command(app).commands[command].params}  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", [*PAPERS, "inspect", "transfer", "run", "demo"])
def test_a_study_command_says_where_it_runs_and_what_it_prints(command: str) -> None:
    assert options(command) >= RUNNING


@pytest.mark.parametrize("study", PAPERS)
def test_a_study_of_a_paper_has_a_preset_for_the_lab_and_one_of_the_papers_size(study: str) -> None:
    assert {"lab", "paper"} <= set(study_presets(study))
    assert "preset" in options(study)


def test_the_options_reach_the_engine_by_name() -> None:
    assert set(Running.__dataclass_fields__) == {*RUNNING, "opening"}


@pytest.mark.parametrize("command", ["ablate", "forget", "fuse", "inspect", "locate", "preserve", "run", "transfer"])
def test_a_command_that_opens_a_model_says_how(command: str) -> None:
    assert options(command) >= {"adapter", "attention", "allow_pickle", "trust_remote_code"}
    assert (options(command) >= {"prompt", "pooling", "dim"}) == (command in {"inspect", "run"})


def test_options_become_part_of_a_models_name() -> None:
    given = ModelOptions(prompt="query: ", dim=8, trust_remote_code=True)
    assert given.name("org/model") == "org/model?prompt=query: &dim=8&trust_remote_code=yes"
    assert given.name("lab:twins") == "lab:twins"
    assert ModelOptions().name("org/model?dim=4") == "org/model?dim=4"
    assert ModelOptions(dim=8).name("org/model?dim=4") == "org/model?dim=8"


@pytest.mark.parametrize("study", ["transfer", "inspect"])
def test_what_does_not_fit_into_memory_is_said_before_any_work(
    isogloss: Callable, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, study: str
):
    monkeypatch.setattr("isogloss.studies.shared.memory_room.physical_memory", lambda: 10**8)
    models = ("--model", "lab:twins@5") if study == "transfer" else ("lab:twins@5",)
    ran = isogloss(study, *models, "--data", "lab:twins", "--limit", 20, "--out", tmp_path / "run")
    assert ran.code == 2
    assert "GB of memory" in ran.err and "Traceback" not in ran.err
    assert "cells" not in ran.err
