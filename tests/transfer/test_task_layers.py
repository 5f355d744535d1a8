"""Task layers on a frozen encoder, and carried over to another encoder through a map."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from transformers import AutoModel

from isogloss.errors import IsoglossError
from isogloss.transfer import Settings, Trainer, load_fitted, save_fitted
from isogloss.transfer.carried_layers import carry, make_bridge
from isogloss.transfer.methods.modules.task_layers import TaskLayersPart

Records = dict[str, dict[str, list[Any]]]
SETTINGS = Settings(epochs=3, batch=8, encoder_rate=1e-3, head_rate=3e-3, precision="float32", keep="last")


def test_states_are_the_blocks_applied_in_turn_and_padding_is_not_seen() -> None:
    torch.manual_seed(0)
    blocks = nn.ModuleList(nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True) for _ in range(2)).eval()
    bridge = make_bridge(np.eye(6, 8) * 2, np.ones(8))
    part = TaskLayersPart(1, blocks, bridge)
    hidden = torch.randn(2, 5, 6)
    mask = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    found = part.states(torch.zeros(2, 5, 8), {1: hidden}, mask)
    alone = blocks[1](blocks[0](torch.nn.functional.pad(2 * hidden[1:, :3], (0, 2)) + 1))
    assert torch.allclose(found[1, :3], alone[0], atol=1e-5)
    assert part.wants == (1,) and part.reads


def test_only_task_layers_and_head_learn(model_folder: str, records: Records, tmp_path: Path) -> None:
    trainer = Trainer(model_folder, "pos", "task-layers:1,count=2", replace(SETTINGS, epochs=8))
    before = AutoModel.from_pretrained(model_folder).state_dict()
    fitted = trainer.fit(records["pos"]["train"], records["pos"]["dev"])
    assert all(torch.equal(tensor, before[name]) for name, tensor in fitted.whole.state_dict().items())
    tags = Counter(tag for tree in records["pos"]["dev"] for tag in tree.upos)
    assert fitted.history[-1].validation > max(tags.values()) / tags.total() + 0.1
    (part,) = fitted.network.chain
    assert isinstance(part, TaskLayersPart) and len(part.blocks) == 2 and part.layer == 1
    again = load_fitted(save_fitted(fitted, tmp_path / "model"))
    assert again.predict(records["pos"]["dev"]).records == fitted.predict(records["pos"]["dev"]).records


def test_a_rotated_encoder_is_read_as_well_as_the_encoder_itself(
    model_folder: str, records: Records, tmp_path: Path, rotate_model: Callable[[Path, Path], Path]
) -> None:
    away = str(rotate_model(Path(model_folder), tmp_path / "rotated"))
    order = torch.randperm(32, generator=torch.Generator().manual_seed(0))
    fitted = Trainer(model_folder, "pos", "task-layers:2,count=1", SETTINGS).fit(
        records["pos"]["train"], records["pos"]["dev"]
    )
    back = torch.eye(32)[order].double().numpy()  # x[order] back to x
    mapped = carry(fitted, away, None, 2, make_bridge(back, np.zeros(32)))
    assert mapped.predict(records["pos"]["dev"]).records == fitted.predict(records["pos"]["dev"]).records
    lost = carry(fitted, away, None, 2, None).tally(records["pos"]["dev"]).scores()["accuracy"]
    assert lost < fitted.tally(records["pos"]["dev"]).scores()["accuracy"] - 0.1


def test_what_cannot_be_carried_is_refused(model_folder: str, records: Records) -> None:
    train, dev = records["pos"]["train"][:20], records["pos"]["dev"][:5]
    plain = Trainer(model_folder, "pos", "linear", Settings(epochs=1)).fit(train, dev)
    with pytest.raises(IsoglossError, match="only task layers"):
        carry(plain, model_folder, None, 1, None)
    fitted = Trainer(model_folder, "pos", "task-layers:1,count=1", Settings(epochs=1)).fit(train, dev)
    with pytest.raises(IsoglossError, match="do not match"):
        carry(fitted, model_folder, None, 1, make_bridge(np.eye(16, 32), np.zeros(32)))
