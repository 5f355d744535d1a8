"""``isogloss ablate`` and ``isogloss fuse``: options change a preset, and what is printed is a study file."""

import pytest
import yaml
from typer.testing import CliRunner

from isogloss.errors import IsoglossError
from isogloss.runs.config import build
from isogloss.studies import ablate, fuse


def printed(*arguments: str) -> dict:
    from isogloss.cli import app, register

    register()
    outcome = CliRunner().invoke(app, [*arguments, "--print-config"])
    if outcome.exception is not None:
        raise outcome.exception
    return yaml.safe_load(outcome.stdout)


def test_ablate_prints_the_file_it_stands_for() -> None:
    options = ("--tasks", "pos,ner", "--sources", "qaa,qac", "--sets", "pairs,1-3", "--seeds", "4,5", "--parallel", "")
    settings = printed("ablate", "my-model", *options, "--similarity", "rbf", "--limit", "50")
    assert settings.pop("study") == "ablate"
    config = build(ablate.Config, settings)
    assert (config.model, config.sources, config.sets) == ("my-model", ("qaa", "qac"), ("pairs", "1-3"))
    assert config.seeds == (4, 5) and config.similarity == ("rbf",) and config.parallel == ""
    assert [(setup.task, setup.limit) for setup in config.tasks] == [("pos", 50), ("ner", 50)]
    assert config.tasks[0].elsewhere == {"lab:families/1": ()}


def test_other_data_takes_what_belonged_to_the_presets_data_away() -> None:
    settings = printed("ablate", "--preset", "paper", "--tasks", "pos", "--data", "ud-gsd", "--test-data", "ud-pud")
    (setup,) = settings["tasks"]
    assert (setup["data"], setup["test_data"], setup["data_by_source"]) == ("ud-gsd", "ud-pud", {})
    assert settings["sources"] == ["en", "ru", "ar"]  # as the preset has them


def test_fuse_prints_the_file_it_stands_for() -> None:
    options = ("--compare", "other", "--tasks", "pos", "--layers", "2-4", "--gates", "gate", "--ablated", "2")
    settings = printed("fuse", "one", *options)
    assert settings.pop("study") == "fuse"
    config = build(fuse.Config, settings)
    assert config.models == ("one", "other") and config.layers == "2-4" and config.gates == ("gate",)
    assert config.ablated == (2,) and [setup.task for setup in config.tasks] == ["pos"]


@pytest.mark.parametrize("study", ["ablate", "fuse", "preserve", "forget"])
def test_settings_of_all_fine_tunings_stand_beside_those_of_the_preset(study: str) -> None:
    before = printed(study)["tasks"]
    tasks = printed(study, "--set", "encoder_rate=3e-5", "--set", "max_tokens=64", "--on-error", "skip")["tasks"]
    assert [task["settings"] for task in tasks] == [
        {**task.get("settings", {}), "encoder_rate": 3e-5, "max_tokens": 64} for task in before
    ]
    assert {task["on_error"] for task in tasks} == {"skip"}
    with pytest.raises(IsoglossError, match="is not NAME=VALUE"):
        printed(study, "--set", "epochs")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ablate", "--tasks", "poss"), "did you mean 'pos'"),
        (("ablate", "--preset", "papper"), "did you mean 'paper'"),
        (("fuse", "--seeds", "one"), "not a list of numbers"),
        (("fuse", "--ablated", "x"), "not a list of numbers"),
    ],
)
def test_a_mistake_is_named(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(IsoglossError, match=message):
        printed(*arguments)
