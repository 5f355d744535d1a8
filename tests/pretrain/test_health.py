"""Health: norms and skipped blocks measured by hand, and warnings that name the layer and a remedy."""

import math
from pathlib import Path

import pytest
import torch

from isogloss.pretrain import Recipe, pretrain
from isogloss.pretrain.health import LayerHealth, complaints, examine
from isogloss.pretrain.history import read_table
from isogloss.pretrain.masking import Batch
from isogloss.pretrain.model import build
from isogloss.pretrain.sharing import Paths

CPU = torch.device("cpu")
IDS = torch.arange(5, 25).view(2, 10)


def batch() -> Batch:
    return Batch("qaa", IDS, torch.arange(20), IDS.view(-1))


@pytest.mark.parametrize("architecture", ["bert", "roberta-prelayernorm", "modernbert"])
def test_norms_are_those_of_the_hidden_states(tiny_recipe: Recipe, architecture: str) -> None:
    model = build(tiny_recipe.changed(model={"architecture": architecture}).model, 40, 24, 0)
    layers = examine(Paths({"qaa": model}, frozenset()), {"qaa": [batch()]}, CPU)
    model.eval()
    states = model(IDS, output_hidden_states=True).hidden_states
    for layer in layers[: 1 if architecture != "bert" else 3]:  # others' last state has passed the final norm
        assert layer.residual_norm == pytest.approx(states[layer.layer].norm(dim=-1).mean().item(), rel=1e-4)
    assert [layer.layer for layer in layers] == [0, 1, 2]


def test_skipping_a_block_that_does_nothing_changes_nothing(tiny_recipe: Recipe) -> None:
    model = build(tiny_recipe.changed(model={"architecture": "roberta-prelayernorm"}).model, 40, 24, 0)
    for part in (
        model.base_model.encoder.layer[1].attention.output.dense,
        model.base_model.encoder.layer[1].output.dense,
    ):
        torch.nn.init.zeros_(part.weight)
        torch.nn.init.zeros_(part.bias)
    with torch.no_grad():
        model.base_model.encoder.layer[0].output.dense.weight.normal_(std=1.0)
    layers = examine(Paths({"qaa": model}, frozenset()), {"qaa": [batch()]}, CPU)
    assert layers[2].loss_without == pytest.approx(0.0, abs=1e-6)
    assert abs(layers[1].loss_without) > 1e-3


def health(number: int, norm: float, rise: float) -> LayerHealth:
    return LayerHealth("qaa", number, norm, 1.0, rise)


def test_a_stream_that_blows_up_and_the_idle_blocks_after_it_are_named() -> None:
    case = [health(0, 5, math.nan), health(1, 4_700, 3.0), health(2, 4_710, 0.0), health(3, 4_720, 0.2)]
    found = complaints(case)
    assert len(found) == 2
    assert "layer 1 blows up" in found[0] and "learning_rate" in found[0]
    assert "layer 2 is idle" in found[1] and "warmup" in found[1]


def test_a_healthy_model_and_one_that_has_not_yet_learnt_are_left_alone() -> None:
    assert not complaints([health(0, 16, math.nan), health(1, 30, 0.4), health(2, 49, 0.2)])
    assert not complaints([health(0, 16, math.nan), health(1, 16, 0.001), health(2, 16, 0.0)])


def test_a_run_that_blows_up_warns(two_languages: dict[str, list[str]], tiny_recipe: Recipe, out: Path) -> None:
    recipe = tiny_recipe.changed(
        model={"architecture": "roberta-prelayernorm"}, training={"learning_rate": 1.0, "steps": 30, "warmup": 1}
    )
    result = pretrain(recipe, two_languages, out)
    assert any("blows up the residual stream" in warning for warning in result.warnings)
    rows = read_table(out / "health.csv")
    assert {row["layer"] for row in rows} == {"0", "1", "2"}
