"""Runs that were stopped: they end bit for bit as if they had not been."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from isogloss.digests import DamagedError
from isogloss.errors import IsoglossError
from isogloss.pretrain import Recipe, pretrain
from isogloss.pretrain import loop as loop_module
from isogloss.pretrain.folders import Folders
from isogloss.pretrain.history import read_table

Texts = dict[str, list[str]]
LEFT = ("model.safetensors", "validation.csv", "health.csv", "tokenizer.json")


class PowerCutError(Exception):
    """What a power cut looks like from inside."""


def stop_at(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    learn = loop_module.learn_from

    def cut(run: loop_module.Run, batches: object, number: int) -> float:
        if number == step:
            raise PowerCutError
        return learn(run, batches, number)  # type: ignore[arg-type]

    monkeypatch.setattr(loop_module, "learn_from", cut)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"data": {"layout": "stream"}, "masking": {"whole_words": True}},
        {"sharing": {"embeddings": "separate", "separate_layers": 1}, "vocabulary": {"scope": "own"}},
        {"training": {"best_by": "qaa", "micro_batches": 2}},
    ],
)
def test_a_resumed_run_ends_bit_for_bit_like_an_unbroken_one(
    two_languages: Texts,
    tiny_recipe: Recipe,
    out: Path,
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, dict[str, object]],
) -> None:
    recipe = tiny_recipe.changed(training={"save_every": 4}).changed(**changes)
    unbroken = pretrain(recipe, two_languages, out / "unbroken")
    with monkeypatch.context() as patch:
        stop_at(10, patch)
        with pytest.raises(PowerCutError):
            pretrain(recipe, two_languages, out / "broken")
    assert not Folders(out / "broken").result.exists()
    resumed = pretrain(recipe, two_languages, out / "broken")
    assert resumed.steps == unbroken.steps and resumed.perplexities == unbroken.perplexities
    for name in LEFT:
        for first in (out / "unbroken").rglob(name):
            assert first.read_bytes() == (out / "broken" / first.relative_to(out / "unbroken")).read_bytes()
    steps = [int(row["step"]) for row in read_table(resumed.history)]
    assert steps == list(range(1, 13))


def test_a_half_written_checkpoint_is_not_taken_up(
    two_languages: Texts, tiny_recipe: Recipe, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = pretrain(tiny_recipe, two_languages, out / "whole")
    with monkeypatch.context() as patch:
        stop_at(9, patch)
        with pytest.raises(PowerCutError):
            pretrain(tiny_recipe, two_languages, out / "cut")
    half = Folders(out / "cut").checkpoints / ".step-000000008.part"
    half.mkdir()
    (half / "parameters.safetensors").write_bytes(b"half")
    assert pretrain(tiny_recipe, two_languages, out / "cut").perplexities == whole.perplexities


def test_a_finished_run_is_returned_without_training(
    two_languages: Texts, tiny_recipe: Recipe, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = pretrain(tiny_recipe, two_languages, out)
    stop_at(1, monkeypatch)
    assert pretrain(tiny_recipe, two_languages, out) == first
    with pytest.raises(PowerCutError):
        pretrain(tiny_recipe, two_languages, out, resume=False)


def test_other_settings_or_texts_are_not_mixed_into_a_run(two_languages: Texts, tiny_recipe: Recipe, out: Path) -> None:
    pretrain(tiny_recipe, two_languages, out)
    with pytest.raises(IsoglossError, match=r"other settings: masking\.share"):
        pretrain(tiny_recipe.changed(masking={"share": 0.3}), two_languages, out)
    with pytest.raises(IsoglossError, match="texts or dictionaries differ from those"):
        pretrain(tiny_recipe, {**two_languages, "qab": two_languages["qab"][:200]}, out)
    pretrain(tiny_recipe.changed(training={"log_every": 5}), two_languages, out)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-3])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)


HARMS = [
    ("checkpoints/step-*/parameters.safetensors", flip),
    ("checkpoints/step-*/optimiser.safetensors", cut),
    ("checkpoints/step-*/state.json", flip),
    ("checkpoints/step-*/histories.json", flip),
    ("tokens/*.ids", flip),
    ("tokens/*.starts", cut),
    ("vocabulary/any.json", flip),
]


@pytest.mark.parametrize(("name", "harm"), HARMS)
def test_a_damaged_file_of_an_unfinished_run_is_named_and_the_run_ends_as_if_it_were_whole(
    name: str,
    harm: Callable[[Path], None],
    two_languages: Texts,
    tiny_recipe: Recipe,
    out: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pretrain(tiny_recipe, two_languages, out / "whole")
    with monkeypatch.context() as patch:
        stop_at(9, patch)
        with pytest.raises(PowerCutError):
            pretrain(tiny_recipe, two_languages, out / "cut")
    harm(sorted(Folders(out / "cut").work.glob(name))[-1])
    pretrain(tiny_recipe, two_languages, out / "cut")
    assert "damaged" in capsys.readouterr().err
    assert (out / "cut/model.safetensors").read_bytes() == (out / "whole/model.safetensors").read_bytes()
    assert (out / "cut/tokenizer.json").read_bytes() == (out / "whole/tokenizer.json").read_bytes()


@pytest.mark.parametrize(
    ("name", "harm"),
    [("history.csv", flip), ("validation.csv", lambda path: path.write_bytes(b"\xff\0")), ("health.csv", Path.unlink)],
)
def test_a_damaged_history_of_an_unfinished_run_is_put_back(
    name: str,
    harm: Callable[[Path], None],
    two_languages: Texts,
    tiny_recipe: Recipe,
    out: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What a run says of itself lies in the checkpoint too, under a digest; only seconds differ from run to run."""
    recipe = tiny_recipe.changed(training={"save_every": 4, "validate_every": 2})
    with monkeypatch.context() as patch:
        stop_at(10, patch)
        with pytest.raises(PowerCutError):
            pretrain(recipe, two_languages, out)
    before = [row for row in read_table(out / name) if int(row["step"]) <= 8]
    harm(out / name)
    pretrain(recipe, two_languages, out)
    after = read_table(out / name)
    assert after[: len(before)] == before
    assert [int(row["step"]) for row in after if int(row["step"]) > 8]


def test_a_resumed_run_has_the_threads_it_began_with(
    two_languages: Texts, tiny_recipe: Recipe, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another number of threads rounds otherwise; a recipe may leave the number open, and machines differ."""
    recipe = tiny_recipe.changed(training={"threads": None})
    before = torch.get_num_threads()
    seen = []
    monkeypatch.setattr("isogloss.pretrain.run.train", lambda run: seen.append(torch.get_num_threads()))
    monkeypatch.setattr("isogloss.pretrain.run._finish", lambda run, use: None)
    try:
        for threads in (2, 1):
            torch.set_num_threads(threads)
            pretrain(recipe, two_languages, out)
    finally:
        torch.set_num_threads(before)
    assert seen == [2, 2]
    with pytest.raises(IsoglossError, match=r"other settings: training\.threads"):
        pretrain(recipe.changed(training={"threads": 1}), two_languages, out)


def test_damaged_best_parameters_are_said_and_found_again_by_the_next_run(
    two_languages: Texts, tiny_recipe: Recipe, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = tiny_recipe.changed(training={"best_by": "qaa"})
    pretrain(recipe, two_languages, out / "whole")
    with monkeypatch.context() as patch:
        stop_at(9, patch)
        with pytest.raises(PowerCutError):
            pretrain(recipe, two_languages, out / "cut")
    best = Folders(out / "cut").checkpoints / "best.safetensors"
    flip(best)
    with monkeypatch.context() as patch:
        patch.setattr("isogloss.pretrain.loop.checkpoint.save_best", lambda *_: None)  # nothing better came
        with pytest.raises(DamagedError, match="best parameters"):
            pretrain(recipe, two_languages, out / "cut")
    pretrain(recipe, two_languages, out / "cut")
    assert (out / "cut/model.safetensors").read_bytes() == (out / "whole/model.safetensors").read_bytes()


@pytest.mark.parametrize("harm", [cut, flip])
def test_a_damaged_record_of_a_finished_run_is_refused(
    harm: Callable[[Path], None], two_languages: Texts, tiny_recipe: Recipe, out: Path
) -> None:
    pretrain(tiny_recipe, two_languages, out)
    harm(Folders(out).result)
    with pytest.raises(DamagedError, match="record of this pretraining is damaged"):
        pretrain(tiny_recipe, two_languages, out)


SCRIPT = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from conftest import make_sentences
from isogloss.pretrain import Recipe, pretrain
recipe = Recipe.load(Path(sys.argv[1]))
pretrain(recipe, {code: make_sentences(code, 300) for code in ("qaa", "qab")}, Path(sys.argv[2]))
"""


@pytest.mark.slow
def test_a_run_killed_again_and_again_ends_bit_for_bit_the_same(
    two_languages: Texts, tiny_recipe: Recipe, tmp_path: Path, out: Path
) -> None:
    recipe = tiny_recipe.changed(training={"steps": 60, "save_every": 1, "validate_every": 60})
    pretrain(recipe, two_languages, out)
    (tmp_path / "recipe.yaml").write_text(recipe.to_yaml(), encoding="utf-8")
    killed = tmp_path / "killed"
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "recipe.yaml"), str(killed), str(Path(__file__).parent)]
    deaths = 0
    for number in range(2):
        process = subprocess.Popen(command, env={**os.environ, "OMP_NUM_THREADS": "1"})
        _wait_for_step(killed, 10 * (number + 1), process)
        process.send_signal(signal.SIGKILL)
        deaths += process.wait() == -signal.SIGKILL
    subprocess.run(command, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert deaths > 0
    assert (killed / "model.safetensors").read_bytes() == (out / "model.safetensors").read_bytes()


def _wait_for_step(folder: Path, step: int, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if any(int(path.name[5:]) >= step for path in Folders(folder).checkpoints.glob("step-*")):
            return
        time.sleep(0.01)
