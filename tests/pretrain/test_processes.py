"""Many processes do what one does: the same rows, the same masks, the same loss curve."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest
import torch
from safetensors.torch import load_file

from isogloss.errors import IsoglossError
from isogloss.pretrain import Recipe, pretrain
from isogloss.pretrain.history import read_table
from isogloss.pretrain.processes import Processes
from isogloss.pretrain.together import Together
from isogloss.runs import Bench, Cell, Store

SCRIPT = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from conftest import make_sentences
from isogloss.pretrain import Recipe, pretrain
recipe = Recipe.load(Path(sys.argv[1]))
result = pretrain(recipe, {code: make_sentences(code, 300) for code in ("qaa", "qab")}, Path(sys.argv[2]))
assert result.steps == recipe.training.steps
"""


def test_processes_divide_the_rows_of_a_batch_among_them() -> None:
    for total in (1, 7, 8):
        parts = [range(total)[Processes(rank, 3).rows(total)] for rank in range(3)]
        assert [row for part in parts for row in part] == list(range(total))


def test_one_process_adds_up_nothing() -> None:
    tensor = torch.ones(3)
    Processes().add_up_gradients(tensor, [])
    assert torch.equal(tensor, torch.ones(3))


def test_one_process_follows_itself() -> None:
    assert Processes().follow([True, False]) == [True, False]


@pytest.mark.slow
def test_two_processes_have_the_loss_curve_of_one_with_the_same_batch(
    two_languages: dict[str, list[str]], tiny_recipe: Recipe, tmp_path: Path, out: Path
) -> None:
    recipe = tiny_recipe.changed(
        model={"dropout": 0.0},
        sharing={"embeddings": "separate"},
        vocabulary={"scope": "own"},
        training={"steps": 30, "save_every": 30, "validate_every": 15},
    )
    one = pretrain(recipe, two_languages, out)
    (tmp_path / "recipe.yaml").write_text(recipe.to_yaml(), encoding="utf-8")
    (tmp_path / "train.py").write_text(SCRIPT, encoding="utf-8")
    both = tmp_path / "both"
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    command += [str(tmp_path / "train.py"), str(tmp_path / "recipe.yaml"), str(both), str(Path(__file__).parent)]
    subprocess.run(command, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"}, timeout=240)
    curves = [[float(row["loss"]) for row in read_table(folder / "history.csv")] for folder in (one.folder, both)]
    assert len(curves[1]) == 30
    assert curves[0] == pytest.approx(curves[1], rel=1e-3)
    for language in two_languages:
        name = Path("languages") / language / "model.safetensors"
        first, second = load_file(one.folder / name), load_file(both / name)
        assert all(torch.allclose(first[key], second[key], atol=5e-3) for key in first)


@dataclass(frozen=True)
class Done:
    order: int


@dataclass(frozen=True)
class Short(Cell[Done]):
    name: ClassVar[str] = "short"
    record: ClassVar[type] = Done
    ran: ClassVar[list[str]] = []
    seed: int = 0

    def run(self, bench: Bench) -> Done:
        if self.seed < 0:
            raise IsoglossError("no text")
        self.ran.append(f"{self.name} {self.seed}")
        return Done(len(self.ran))


@dataclass(frozen=True)
class Long(Short):
    name: ClassVar[str] = "long"
    base: Short = Short()


def test_the_leading_process_goes_through_cells_as_those_that_follow_it_do(tmp_path: Path) -> None:
    Short.ran.clear()
    cells = [Short(0), Short(1), Long(2), Long(3, Short(-1)), Short(4)]
    outcome = Together(Processes()).run("toy", cells, Store(tmp_path))
    assert Short.ran == ["short 0", "short 1", "long 2", "long 3", "short 4"], (
        "others would wait for another cell for ever"
    )
    assert [failure.message for failure in outcome.failures.values()] == ["no text"]
