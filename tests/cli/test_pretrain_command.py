"""The pretrain command: settings, texts from files, and a user's mistakes with exit code 2."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

Isogloss = Callable[..., Any]
SMALL = [
    "vocabulary.size=90", "data.draws=1", "data.length=24", "data.validation=5", "model.layers=1", "model.width=16",
    "model.heads=2", "model.feedforward=16", "training.steps=3", "training.batch_tokens=128", "training.warmup=1",
]  # fmt: skip


def settings() -> list[str]:
    return [part for setting in SMALL for part in ("--set", setting)]


def write_texts(folder: Path) -> Path:
    folder.mkdir()
    (folder / "de.txt").write_text("der hund sieht die katze .\ndie katze schläft .\n" * 30, encoding="utf-8")
    (folder / "en.txt").write_text("the dog sees the cat .\nthe cat sleeps .\n" * 30, encoding="utf-8")
    return folder


def test_print_config_writes_a_recipe_that_can_be_read_back(isogloss: Isogloss, tmp_path: Path) -> None:
    printed = isogloss(
        "pretrain", "--preset", "laptop", "--set", "sharing.separate_layers=2", "--set", "training.learning_rate=3e-5",
        "--seed", "3", "--print-config",
    )  # fmt: skip
    assert printed.code == 0, printed.err
    content = yaml.safe_load(printed.out)
    assert (content["seed"], content["sharing"]["separate_layers"]) == (3, 2)
    assert content["training"]["learning_rate"] == 3e-5
    (tmp_path / "recipe.yaml").write_text(printed.out, encoding="utf-8")
    again = isogloss("pretrain", "--recipe", str(tmp_path / "recipe.yaml"), "--seed", "3", "--print-config")
    assert again.out == printed.out


def test_a_folder_of_texts_becomes_a_model_and_json_says_where(isogloss: Isogloss, tmp_path: Path) -> None:
    texts = write_texts(tmp_path / "texts")
    dictionary = tmp_path / "de-en.txt"
    dictionary.write_text("hund\tdog\t0.5\nkatze\tcat\t1.0\n", encoding="utf-8")
    done = isogloss(
        "pretrain", "--data", str(texts), "--out", str(tmp_path / "model"), "--dictionary", f"de-en={dictionary}",
        "--json", *settings(),
    )  # fmt: skip
    assert done.code == 0, done.err
    result = json.loads(done.out)
    assert result["languages"] == ["de", "en"] and result["steps"] == 3
    assert (tmp_path / "model" / "config.json").is_file()
    assert "Perplexity of held-out text" in Path(result["page"]).read_text(encoding="utf-8")


def test_mistakes_end_with_code_2_and_one_plain_message(isogloss: Isogloss, tmp_path: Path) -> None:
    texts = write_texts(tmp_path / "texts")
    wrong = tmp_path / "de-en.csv"
    wrong.write_text("hund;dog\nkatze;cat\n", encoding="utf-8")
    cases = {
        ("--set", "training.stepz=3"): "did you mean 'steps'",
        ("--set", "training.steps"): "is not NAME=VALUE",
        ("--preset", "labb"): "did you mean 'lab'",
        ("--dictionary", f"de-en={wrong}"): "is no entry",
        ("--dictionary", "nonsense"): "names no pair",
    }
    for arguments, complaint in cases.items():
        failed = isogloss("pretrain", "--data", str(texts), "--out", str(tmp_path / "model"), *settings(), *arguments)
        assert failed.code == 2, failed.err
        assert complaint in " ".join(failed.err.split()), failed.err
        assert "Traceback" not in failed.err
