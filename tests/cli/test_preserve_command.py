"""``isogloss preserve``: options change a preset, and what is printed is a study file."""

import pytest
import yaml
from typer.testing import CliRunner

from isogloss.errors import IsoglossError
from isogloss.runs.config import build
from isogloss.studies import preserve


def printed(*arguments: str) -> dict:
    from isogloss.cli import app, register

    register()
    outcome = CliRunner().invoke(app, ["preserve", *arguments, "--print-config"])
    if outcome.exception is not None:
        raise outcome.exception
    return yaml.safe_load(outcome.stdout)


def test_preserve_prints_the_file_it_stands_for() -> None:
    options = ("--tasks", "ner", "--sources", "qaa,qaa+qac", "--layers", "all;1-2", "--alphas", "0.01,2e-2")
    settings = printed("my-model", *options, "--subspaces", "lda", "--texts", "wiki", "--text-langs", "qaa,qab")
    assert settings.pop("study") == "preserve"
    config = build(preserve.Config, settings)
    assert (config.model, config.sources, config.layers) == ("my-model", ("qaa", "qaa+qac"), ("all", "1-2"))
    assert (config.alphas, config.subspaces) == ((0.01, 0.02), ("lda",))
    assert (config.texts, config.text_languages) == ("wiki", ("qaa", "qab"))
    assert [setup.task for setup in config.tasks] == ["ner"]


def test_the_papers_preset_keeps_its_values_where_no_option_is_given() -> None:
    settings = printed("--preset", "paper")
    assert settings["sources"] == ["en", "en+de+zh"] and settings["alphas"] == [0.005, 0.02]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--alphas", "much"), "not a list of numbers"),
        (("--preset", "papper"), "did you mean 'paper'"),
        (("--tasks", "poss"), "did you mean 'pos'"),
    ],
)
def test_a_mistake_is_named(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(IsoglossError, match=message):
        printed(*arguments)
