"""``isogloss emerge``: options change a preset, what is printed is a study file, and a run on plain files ends well."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from isogloss.corpora.lab import Lab, preset
from isogloss.runs.config import build
from isogloss.studies import emerge


def printed(isogloss: Callable, *arguments: str) -> emerge.Config:
    ran = isogloss("emerge", *arguments, "--print-config")
    assert ran.code == 0, ran.err
    settings = yaml.safe_load(ran.out)
    assert settings.pop("study") == "emerge"
    return build(emerge.Config, settings)


def test_what_is_printed_is_the_study_file_it_stands_for(isogloss: Callable) -> None:
    options = ("--pairs", "sisters,qaa-qad", "--conditions", "no-anchors", "--tasks", "pos,nli", "--seeds", "4,5")
    config = printed(isogloss, *options, "--set", "training.steps=7", "--limit", "50")
    assert [(pair.source, pair.target, pair.label) for pair in config.pairs] == [
        ("qaa", "qab", "sisters"), ("qaa", "qad", "qad"),
    ]  # fmt: skip
    assert config.conditions == ("no-anchors",) and config.seeds == (4, 5)
    assert [(setup.task, setup.limit) for setup in config.tasks] == [("pos", 50), ("nli", 50)]
    assert config.pretraining().training.steps == 7 and config.pools == ("hard", "test")


def test_a_number_with_an_exponent_is_a_number(isogloss: Callable) -> None:
    recipe = printed(isogloss, "--set", "training.learning_rate=3e-5").pretraining()
    assert recipe.training.learning_rate == 3e-5


def test_new_text_takes_away_what_belonged_to_the_presets_text(isogloss: Callable) -> None:
    config = printed(isogloss, "--pairs", "en-de", "--text", "texts", "--data", "ud-ewt", "--test-data", "ud-pud")
    assert (config.text, config.other_text, config.dictionary, config.parallel) == ("texts", "", "", "")
    assert config.pools == ("",) and {setup.data for setup in config.tasks} == {"ud-ewt"}
    whole = printed(isogloss, "--text", "a", "--other-text", "b", "--dictionary", "muse", "--parallel", "ntrex")
    assert (whole.text, whole.other_text, whole.dictionary, whole.parallel) == ("a", "b", "muse", "ntrex")
    assert all(pair.text == pair.parallel == "" for pair in whole.pairs)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--pairs", "english"), "names no pair"),
        (("--preset", "papper"), "did you mean 'paper'"),
        (("--tasks", "poss"), "did you mean 'pos'"),
        (("--set", "training.steps"), "is not NAME=VALUE"),
        (("--set", "training.nonsense=1"), "unknown setting 'nonsense'\n  hint: known: batch_tokens"),
        (("--set", "training.steps=many"), "setting 'training.steps'"),
    ],
)
def test_a_mistake_is_named(isogloss: Callable, arguments: tuple[str, ...], message: str) -> None:
    ran = isogloss("emerge", *arguments, "--print-config")
    assert ran.code == 2 and message in ran.err


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Two folders of text (two domains), and parallel text, as a user may have them."""
    lab = Lab(preset("neighbours"))
    for name, lines in {
        "wiki": lambda code: lab.text(code, 150, domain=0),
        "web": lambda code: lab.text(code, 150, domain=1),
        "parallel": lambda code: lab.parallel(40).texts[code],
    }.items():
        (tmp_path / name).mkdir()
        for code in lab.codes:
            (tmp_path / name / f"{code}.txt").write_text("\n".join(lines(code)) + "\n", encoding="utf-8")
    return tmp_path


def test_a_run_on_plain_files_ends_with_findings_and_a_page(isogloss: Callable, files: Path) -> None:
    small = ("model.layers=2", "model.width=16", "model.heads=2", "model.feedforward=32", "training.steps=3",
             "training.warmup=1", "vocabulary.size_a_language=100", "data.validation=5")  # fmt: skip
    settings = [part for setting in small for part in ("--set", setting)]
    ran = isogloss(
        "emerge", "--pairs", "qaa-qab", "--conditions", "domain", "--tasks", "pos", "--seeds", "0",
        "--text", files / "wiki", "--other-text", files / "web", "--parallel", files / "parallel",
        "--data", "lab:neighbours", "--limit", "15", "--test-limit", "10", *settings, "--engine", "inline",
        "--out", files / "run", "--json",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert any("Domain" in finding["text"] for finding in json.loads(ran.out)["findings"])
    assert (files / "run" / "index.html").is_file() and (files / "run" / "study.yaml").is_file()
