"""The pretrain command: settings, texts from files, and a user's mistakes with exit code 2."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from isogloss.pretrain import loop
from isogloss.studies.result import Result
from isogloss.studies.shared.models import name_model
from isogloss.studies.shared.pretraining import Pretraining

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
    assert content["study"] == "pretrain" and content["data"] == "lab:families"
    recipe = content["recipe"]
    assert (recipe["seed"], recipe["sharing"]["separate_layers"]) == (3, 2)
    assert recipe["training"]["learning_rate"] == 3e-5
    (tmp_path / "recipe.yaml").write_text(printed.out, encoding="utf-8")
    again = isogloss("pretrain", "--recipe", str(tmp_path / "recipe.yaml"), "--print-config")
    assert again.out == printed.out
    (tmp_path / "bare.yaml").write_text(yaml.safe_dump(recipe), encoding="utf-8")  # a recipe without a study
    bare = isogloss("pretrain", "--recipe", str(tmp_path / "bare.yaml"), "--print-config")
    assert bare.out == printed.out


def test_a_folder_of_texts_becomes_a_model_and_json_says_where(isogloss: Isogloss, tmp_path: Path) -> None:
    texts = write_texts(tmp_path / "texts")
    dictionary = tmp_path / "de-en.txt"
    dictionary.write_text("hund\tdog\t0.5\nkatze\tcat\t1.0\n", encoding="utf-8")
    done = isogloss(
        "pretrain", "--data", str(texts), "--out", str(tmp_path / "model"), "--dictionary", f"de-en={dictionary}",
        "--engine", "inline", "--json", *settings(),
    )  # fmt: skip
    assert done.code == 0, done.err
    result = json.loads(done.out)
    assert result["languages"] == ["de", "en"] and result["steps"] == 3
    assert (tmp_path / "model" / "config.json").is_file()
    assert "Perplexity of held-out text" in Path(result["page"]).read_text(encoding="utf-8")


def test_a_finished_training_is_found_again_wherever_the_model_is_to_lie(isogloss: Isogloss, tmp_path: Path) -> None:
    texts = write_texts(tmp_path / "texts")
    arguments = ("pretrain", "--data", str(texts), "--engine", "inline", *settings())
    first = isogloss(*arguments, "--out", str(tmp_path / "one"))
    assert first.code == 0, first.err
    assert "done in" in first.err
    again = isogloss(*arguments, "--out", str(tmp_path / "two"))
    assert again.code == 0 and "done in" not in again.err
    names = {path.name for path in (tmp_path / "one").iterdir()}
    assert names >= {"config.json", "model.safetensors", "tokenizer.json", "recipe.yaml", "pretrained.json", "report"}
    assert "work" not in names
    for name in names - {"report"}:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name


def test_a_folder_with_another_model_is_left_alone_unless_asked(isogloss: Isogloss, tmp_path: Path) -> None:
    texts, model = write_texts(tmp_path / "texts"), tmp_path / "model"
    arguments = ("pretrain", "--data", str(texts), "--engine", "inline", "--out", str(model), *settings())
    assert isogloss(*arguments).code == 0
    before = (model / "model.safetensors").read_bytes()
    for other, complaint in ((("--seed", "5"), "other settings: seed"), (("--langs", "de"), "other texts: languages")):
        refused = isogloss(*arguments, *other)
        assert refused.code == 2 and complaint in " ".join(refused.err.split())
        assert (model / "model.safetensors").read_bytes() == before
    replaced = isogloss(*arguments, "--seed", "5", "--no-resume")
    assert replaced.code == 0 and (model / "model.safetensors").read_bytes() != before


def test_a_study_file_runs_as_the_command_does_and_its_folder_names_the_encoder(
    isogloss: Isogloss, tmp_path: Path
) -> None:
    texts = write_texts(tmp_path / "texts")
    arguments = ("pretrain", "--data", str(texts), *settings())
    (tmp_path / "file.yaml").write_text(isogloss(*arguments, "--print-config").out, encoding="utf-8")
    ran = isogloss("run", str(tmp_path / "file.yaml"), "--engine", "inline", "--out", str(tmp_path / "run"))
    assert ran.code == 0, ran.err
    again = isogloss(*arguments, "--engine", "inline", "--out", str(tmp_path / "model"))
    assert again.code == 0 and "done in" not in again.err  # one cell, found in the store
    changes = dict(setting.split("=") for setting in SMALL)
    values = {name: int(value) for name, value in changes.items()}
    result = import_module("isogloss").pretrain("lab", data=str(texts), settings=values, engine="inline")
    assert result.frame().equals(Result.load(tmp_path / "run").frame())  # Python does what the command does
    encoder = name_model(str(tmp_path / "run"))
    assert isinstance(encoder, Pretraining) and encoder.languages == ("de", "en")
    frame = Result.load(tmp_path / "run").frame()
    assert set(frame["target"]) == {"de", "en"} and set(frame["measure"]) >= {"perplexity", "fertility"}


def test_a_run_that_breaks_off_resumes_from_its_last_checkpoint(
    isogloss: Isogloss, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[int] = []

    def counted(run: loop.Run, batches: list[Any], step: int) -> float:
        if not run.corpus.languages:  # timed for the estimate, on no text
            return learn_from(run, batches, step)
        steps.append(step)
        if len(steps) == 2:
            raise RuntimeError("the power fails")
        return learn_from(run, batches, step)

    learn_from = loop.learn_from
    monkeypatch.setattr(loop, "learn_from", counted)
    texts = write_texts(tmp_path / "texts")
    arguments = ("pretrain", "--data", str(texts), "--engine", "inline", "--out", str(tmp_path / "model"), *settings())
    broken = isogloss(*arguments, "--set", "training.save_every=1")
    assert broken.code == 1 and "the power fails" in broken.err and not (tmp_path / "model" / "config.json").exists()
    resumed = isogloss(*arguments, "--set", "training.save_every=1")
    assert resumed.code == 0, resumed.err
    assert steps == [1, 2, 2, 3] and (tmp_path / "model" / "config.json").is_file()


@pytest.mark.slow
def test_two_processes_of_torchrun_train_one_model_and_one_of_them_delivers_it(tmp_path: Path) -> None:
    texts, model = write_texts(tmp_path / "texts"), tmp_path / "model"
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "isogloss"]
    command += ["pretrain", "--data", str(texts), "--out", str(model), "--json", *settings()]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "ISOGLOSS_HOME": str(tmp_path / "home")}
    for _ in range(2):  # the second time all processes find the result
        ran = subprocess.run(command, check=True, env=environment, timeout=240, capture_output=True, text=True)
        assert json.loads(ran.stdout)["steps"] == 3  # one process speaks
    assert (model / "config.json").is_file() and (model / "report" / "index.html").is_file()


def test_other_studies_refuse_to_run_in_several_processes(isogloss: Isogloss, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    refused = isogloss("emerge", "--out", "nowhere")
    assert refused.code == 2 and "cannot run in several torchrun processes" in refused.err


def test_mistakes_end_with_code_2_and_one_plain_message(isogloss: Isogloss, tmp_path: Path) -> None:
    texts = write_texts(tmp_path / "texts")
    wrong = tmp_path / "de-en.csv"
    wrong.write_text("hund;dog\nkatze;cat\n", encoding="utf-8")
    cases = {
        ("--set", "training.stepz=3"): "did you mean 'steps'",
        ("--set", "training.steps"): "is not NAME=VALUE",
        ("--preset", "labb"): "did you mean 'lab'",
        ("--dictionary", f"de-en={wrong}"): "is not an entry",
        ("--dictionary", "nonsense"): "names no pair",
    }
    for arguments, complaint in cases.items():
        failed = isogloss("pretrain", "--data", str(texts), "--out", str(tmp_path / "model"), *settings(), *arguments)
        assert failed.code == 2, failed.err
        assert complaint in " ".join(failed.err.split()), failed.err
        assert "Traceback" not in failed.err
