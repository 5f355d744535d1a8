"""Layers that do nothing are found, whatever the size of the numbers that pass through them."""

from pathlib import Path
from typing import Any

import pytest
import torch

from isogloss.encoders import Encoder
from isogloss.encoders.idle import idle_layers, layer_changes
from isogloss.runs import Inline, Store
from isogloss.studies.shared.models import name_model
from isogloss.studies.shared.opened import Opened, warnings_of


def silence(model: Any, layer: int) -> None:
    """Let a block of a pre-norm model add nothing to the stream."""
    block = model.layers[layer - 1]
    with torch.no_grad():
        block.self_attn.o_proj.weight.zero_()
        block.mlp.down_proj.weight.zero_()


@pytest.mark.parametrize("family", ["llama", "qwen"])
def test_a_silenced_block_is_idle_and_the_others_are_not(family: str, saved: Any) -> None:
    encoder = Encoder(str(saved(family).folder), dtype="float32")
    assert idle_layers(encoder) == ()
    silence(encoder.model, 1)
    assert idle_layers(encoder) == (1,)
    assert layer_changes(encoder)[0] == pytest.approx(0, abs=1e-9)


def test_a_page_says_so_above_its_findings(saved: Any, tmp_path: Path) -> None:
    encoder = Encoder(str(saved("llama").folder), dtype="float32")
    silence(encoder.model, 1)
    encoder.model.save_pretrained(tmp_path / "model")
    encoder.tokenizer.save_pretrained(tmp_path / "model")
    cell, store = Opened(name_model(str(tmp_path / "model"))), Store(tmp_path / "store")
    Inline().run("opening", [cell], store)
    (found,) = [one for one in warnings_of([(cell, store.get(cell))]) if "layer" in one.text]
    assert found.warning and "layer 1 hardly changes" in found.text
