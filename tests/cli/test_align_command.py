from collections.abc import Callable
from pathlib import Path

import pytest
import yaml


def settings_of(text: str) -> dict:
    return yaml.safe_load(text)


def test_print_config_changes_only_what_was_given(isogloss: Callable):
    plain = settings_of(isogloss("align", "--print-config").out)
    assert (plain["study"], plain["source"], plain["targets"]) == ("align", "qaa", ["qab", "qac"])
    given = ("--targets", "qab", "--seeds", "3", "--tasks", "pos", "--steps", 40, "--dictionary", "", "--layers", "0,2")
    changed = settings_of(isogloss("align", *given, "--print-config").out)
    differing = {name: value for name, value in changed.items() if value != plain[name]}
    (task,) = differing.pop("tasks")
    assert plain["tasks"][0].items() <= task.items()
    assert differing == {
        "targets": ["qab"], "seeds": [3], "dictionary": "", "layers": "0,2",
        "pretraining": {"training.steps": 40, "training.warmup": 2},
    }  # fmt: skip
    assert settings_of(isogloss("align", "--tasks", "", "--print-config").out)["tasks"] == []
    sizes = ("--sizes", "50,100", "--rounds", 0, "--test-limit", 80, "--share", 0.25)
    changed = settings_of(isogloss("align", *sizes, "--print-config").out)
    assert {name: value for name, value in changed.items() if value != plain[name]} == {
        "sizes": [50, 100], "rounds": 0, "test_limit": 80, "share": 0.25,
    }  # fmt: skip


def test_encoders_of_ones_own_leave_the_lab_behind(isogloss: Callable):
    arguments = ("en=./bert-en", "fr=./bert-fr", "--bilingual", "fr=./both", "--parallel", "ntrex", "--print-config")
    config = settings_of(isogloss("align", *arguments).out)
    assert (config["source"], config["targets"]) == ("en", ["fr"])
    assert config["models"] == {"en": "./bert-en", "fr": "./bert-fr"} and config["bilingual"] == {"fr": "./both"}
    assert (config["parallel"], config["test_parallel"], config["test_part"]) == ("ntrex", "ntrex", "")
    assert not any("lab:" in str(value) for name, value in config.items())
    tasks = ("--tasks", "pos,ner", "--data", "ud-ewt", "--alignments", "gold", "--vectors", "fr=fr.vec")
    config = settings_of(isogloss("align", *arguments[:2], *tasks, "--print-config").out)
    assert [(task["task"], task["data"], task["preset"]) for task in config["tasks"]] == [
        ("pos", "ud-ewt", ""), ("ner", "ud-ewt", ""),  # the plan decides by the encoder
    ]  # fmt: skip
    assert config["vectors"] == {"fr": "fr.vec"} and config["alignments"] == "gold"


def test_options_of_opening_reach_every_encoder(isogloss: Callable):
    named = ("en=a", "fr=b", "--bilingual", "fr=c", "--again", "d", "--parallel", "ntrex", "--allow-pickle")
    config = settings_of(isogloss("align", *named, "--print-config").out)
    models = [*config["models"].values(), *config["bilingual"].values(), config["again"]]
    assert models == [f"{name}?allow_pickle=yes" for name in "abcd"]


def test_the_papers_preset_is_there(isogloss: Callable):
    paper = settings_of(isogloss("align", "--preset", "paper", "--print-config").out)
    assert (paper["recipe"], paper["sizes"], paper["dictionary_parts"]) == ("paper", [10_000], True)


def test_help_has_an_example(isogloss: Callable):
    ran = isogloss("align", "--help")
    assert ran.code == 0 and "isogloss align --preset lab" in " ".join(ran.out.split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--preset", "papers"), "did you mean 'paper'"),
        (("./bert-en",), "is not LANG=NAME"),
        (("en=a", "en=b"), "named twice"),
        (("en=a", "fr=b", "--tasks", "pos"), "tasks need data"),
        (("en=a", "fr=b"), "nothing to measure"),
        (("--seeds", "one"), "not a list of numbers"),
        (("--tasks", "poss"), "did you mean 'pos'"),
        (("--dictionary", "./nowhere.txt"), "no such file or folder"),
        (("--text", "./nowhere"), "no such file or folder"),
    ],
)
def test_a_users_mistake_ends_with_code_2(isogloss: Callable, tmp_path: Path, arguments: tuple, said: str):
    ran = isogloss("align", *arguments, "--out", tmp_path / "run")
    assert ran.code == 2
    assert said in " ".join(ran.err.split())
    assert "Traceback" not in ran.err
