"""Task layers carried over to another encoder: its states are mapped into the space that they were trained in."""

from dataclasses import replace

import torch
from numpy.typing import ArrayLike
from torch import nn

from isogloss.encoders.layers import find_stack
from isogloss.encoders.opening import open_checkpoint
from isogloss.errors import IsoglossError
from isogloss.transfer.building import make_reader
from isogloss.transfer.fitted import Fitted
from isogloss.transfer.methods.modules.task_layers import TaskLayersPart
from isogloss.transfer.methods.simple import freeze_all
from isogloss.transfer.network import Network


def make_bridge(matrix: ArrayLike, offset: ArrayLike) -> nn.Linear:
    """``x matrix + offset`` as a module that is never trained; ``matrix`` is d_x x d_y."""
    weight = torch.as_tensor(matrix, dtype=torch.float32)
    bridge = nn.Linear(*weight.shape)
    bridge.requires_grad_(False)
    bridge.weight.copy_(weight.T)
    bridge.bias.copy_(torch.as_tensor(offset, dtype=torch.float32))
    return bridge


def carry(fitted: Fitted, model: str, revision: str | None, layer: int, bridge: nn.Linear | None) -> Fitted:
    """What ``fitted`` (trained with ``task-layers``) makes of text that ``model`` has read up to ``layer``.

    Without a bridge the states are taken as they are, which needs encoders of one width.
    """
    trained = next((part for part in fitted.network.chain if isinstance(part, TaskLayersPart)), None)
    if trained is None:
        raise IsoglossError("only task layers can be carried over", where="method", remedy="train with task-layers:N")
    checkpoint = open_checkpoint(model, revision, torch.float32, allow_pickle=False, trust_remote_code=False)
    stack = find_stack(freeze_all(checkpoint.model).to(fitted.device))
    home, width = fitted.network.stack.width, stack.width
    given, made = (width, width) if bridge is None else (bridge.in_features, bridge.out_features)
    if (given, made) != (width, home):
        raise IsoglossError(
            f"states {width} wide, a map from {given} to {made}, and task layers {home} wide do not match",
            where=model,
            remedy="fit the map on these two encoders",
        )
    part = TaskLayersPart(layer, trained.blocks, bridge)
    old = fitted.network
    network = Network(stack, (part,), old.head, old.reading, old.dtype).to(fitted.device).eval()
    reader = make_reader(stack, checkpoint.tokenizer, fitted.settings)
    return replace(fitted, model=model, methods=(), reader=reader, network=network, whole=checkpoint.model)
