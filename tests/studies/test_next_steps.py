"""Every study ends with the command that looks closer, and that command exists."""

import shlex
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
import typer

from isogloss.cli import app, register
from isogloss.studies.names import STUDIES
from isogloss.studies.next_steps import NEXT, next_steps
from isogloss.studies.result import Provenance, Result


def answer(study: str, *models: str) -> Result:
    return Result(
        study=study, question="?", findings=(), tables={}, figures={}, main_figure="", records=pd.DataFrame(),
        provenance=Provenance(models=models, data=("lab:families",)),
    )  # fmt: skip


@pytest.mark.parametrize("study", STUDIES)
def test_every_study_names_a_command_that_exists(study: str):
    ((command, shows),) = next_steps(answer(study, "my model"), Path("runs/mine"))
    program, name, *words = shlex.split(command)
    register()
    known = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
    options = {option for parameter in known.params for option in parameter.opts}
    assert program == "isogloss" and shows
    assert {word for word in words if word.startswith("--")} <= options


def test_the_runs_own_model_is_named_and_of_several_none():
    assert "locate 'my model' --data lab:families" in next_steps(answer("inspect", "my model"), Path("x"))[0][0]
    assert "MODEL" in next_steps(answer("choose", "a", "b"), Path("x"))[0][0]


def test_text_without_translations_is_not_sent_to_a_study_that_needs_them():
    alone = replace(answer("choose", "a"), records=pd.DataFrame({"measure": ["language identity"]}))
    assert next_steps(alone, Path("x")) == []


def test_no_step_is_for_a_study_that_is_not_there():
    assert set(NEXT) <= set(STUDIES)
    assert next_steps(answer("plugin-study"), Path("x")) == []


def test_of_several_parts_of_a_lab_the_whole_is_named():
    several = replace(answer("ablate", "mine"), provenance=Provenance(models=("mine",), data=("lab:a:0/1", "lab:a:0")))
    assert next_steps(several, Path("runs/mine"))[0][0] == "isogloss inspect mine --data lab:a:0"
    apart = replace(several, provenance=Provenance(models=("mine",), data=("ud-ewt", "ud-pud")))
    assert next_steps(apart, Path("runs/mine"))[0][0] == "isogloss inspect mine --data DATA"
