"""``isogloss forget``: options change a preset, what is printed is a study file, and text may be a folder."""

import pytest
import yaml
from typer.testing import CliRunner

from isogloss.errors import IsoglossError
from isogloss.runs.config import build
from isogloss.studies import forget


def printed(*arguments: str) -> forget.Config:
    from isogloss.cli import app, register

    register()
    outcome = CliRunner().invoke(app, ["forget", *arguments, "--print-config"])
    if outcome.exception is not None:
        raise outcome.exception
    settings = yaml.safe_load(outcome.stdout)
    assert settings.pop("study") == "forget"
    return build(forget.Config, settings)


def test_the_command_prints_the_file_it_stands_for() -> None:
    options = ("--tasks", "pos", "--seeds", "4,5", "--draws", "0", "--limit", "50", "--set", "epochs=2")
    config = printed("lab:twins", *options, "--conditions", "initial,fine-tuned", "--texts", "my-text")
    assert (config.model, config.seeds, config.draws, config.texts) == ("lab:twins", (4, 5), 0, "my-text")
    assert config.conditions == {"initial": "linear", "fine-tuned": "plain"}
    (setup,) = config.tasks
    assert (setup.task, setup.limit, setup.preset, setup.settings) == ("pos", 50, "", {"epochs": 2})


def test_a_method_may_be_changed_or_added() -> None:
    config = printed("--method", "reversal=reversal:strength=0.5", "--method", "held=ldar:alpha=0.1")
    assert config.conditions["reversal"] == "reversal:strength=0.5" and config.conditions["held"] == "ldar:alpha=0.1"


def test_tasks_that_the_preset_lacks_take_its_data_and_limits() -> None:
    config = printed("--tasks", "ner,pos")
    assert [(setup.task, setup.data, setup.limit) for setup in config.tasks] == [
        ("ner", "lab:families", 300), ("pos", "lab:families", 300),
    ]  # fmt: skip
    assert config.tasks[0].options == {} and config.tasks[1].options == {"select_by": "macro_f1"}


def test_an_encoder_that_is_not_the_labs_is_not_trained_with_the_labs_rates() -> None:
    config = printed("my-model", "--tasks", "pos", "--data", "ud-ewt", "--test-data", "ud-pud", "--source", "en")
    assert config.tasks[0].preset == "" and config.draws == 0
    assert (config.tasks[0].data, config.tasks[0].test_data) == ("ud-ewt", "ud-pud")
    searched = printed("my-model", "--draws", "20")
    assert searched.draws == 20 and {setup.draws for setup in searched.tasks} == {20}
    assert max(searched.search["encoder_rate"]) == 1e-3  # Tanti21 Table 4
    assert printed("my-model", "--preset", "paper").tasks[0].preset == "tanti21-pos"


def test_conditions_of_the_paper_may_be_chosen() -> None:
    config = printed("--preset", "paper", "--tasks", "nli", "--conditions", "fine-tuned")
    assert config.conditions == {"fine-tuned": ""} and config.tasks[0].presets == {"fine-tuned": "tanti21-nli"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--tasks", "poss"), "did you mean 'pos'"),
        (("--preset", "papper"), "did you mean 'paper'"),
        (("--conditions", "reversl"), "did you mean 'reversal'"),
        (("--method", "reversal:0.5"), "is not NAME=VALUE"),
        (("--seeds", "one"), "not a list of numbers"),
    ],
)
def test_a_mistake_is_named(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(IsoglossError, match=message):
        printed(*arguments)
