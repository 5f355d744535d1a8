from collections.abc import Callable
from pathlib import Path

import pytest
import yaml


def settings_of(text: str) -> dict:
    return yaml.safe_load(text)


def test_print_config_changes_only_what_was_given(isogloss: Callable):
    plain = settings_of(isogloss("locate", "some/model", "--print-config").out)
    given = ("--data", "ud-pud", "--langs", "en, de", "--seeds", "3,4", "--layer", 0, "--families", "Germanic")
    changed = settings_of(isogloss("locate", "some/model", *given, "--print-config").out)
    assert (plain["study"], plain["model"], plain["data"], plain["tokens"]) == ("locate", "some/model", "ntrex", 10_000)
    differing = {name: value for name, value in changed.items() if value != plain[name]}
    assert differing == {
        "data": "ud-pud", "languages": ["en", "de"], "seeds": [3, 4], "layer": 0, "subsets": ["Germanic"],
    }  # fmt: skip


def test_presets_are_chosen_by_name_or_by_a_model_of_the_lab(isogloss: Callable):
    paper = settings_of(isogloss("locate", "--preset", "paper", "--print-config").out)
    assert (paper["model"], paper["published"]) == ("bert-base-multilingual-cased", "liang21")
    lab = settings_of(isogloss("locate", "lab:families", "--print-config").out)
    assert (lab["data"], lab["window"]) == ("lab:families", 1)
    assert [task["task"] for task in lab["tagging"]] == ["pos", "ner"]


def test_text_and_tasks_are_in_the_languages_of_a_model_of_the_lab(isogloss: Callable):
    twins = settings_of(isogloss("locate", "lab:twins", "--print-config").out)
    assert twins["data"] == "lab:twins"
    assert {task["data"] for task in twins["tagging"]} == {"lab:twins"}
    other = settings_of(isogloss("locate", "some/model", "--preset", "lab", "--data", "ntrex", "--print-config").out)
    assert (other["data"], other["tagging"]) == ("ntrex", [])


def test_tagging_is_asked_for_by_its_data(isogloss: Callable):
    arguments = ("some/model", "--pos", "ud", "--ner", "wikiann", "--source", "de", "--print-config")
    config = settings_of(isogloss("locate", *arguments).out)
    tasks = [(task["task"], task["data"], task["preset"]) for task in config["tagging"]]
    assert tasks == [("pos", "ud", ""), ("ner", "wikiann", "")]
    assert config["source"] == "de"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "no model is named"),
        (("--preset", "papers"), "did you mean 'paper'"),
        (("some/model", "--methods", "ldaa"), "did you mean 'lda'"),
        (("some/model", "--seeds", "one"), "not a list of numbers"),
        (("some/model", "--data", "./nowhere"), "no such file or folder"),
    ],
)
def test_a_users_mistake_ends_with_code_2(isogloss: Callable, tmp_path: Path, arguments: tuple, said: str):
    ran = isogloss("locate", *arguments, "--out", tmp_path / "run")
    assert ran.code == 2
    assert said in " ".join(ran.err.split())
    assert "Traceback" not in ran.err
