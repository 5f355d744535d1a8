"""Frozen lower layers: which they are, and their states computed once."""

import torch

from isogloss.encoders.layers import Stack
from isogloss.encoders.reading import evaluating
from isogloss.transfer.batches import Batch
from isogloss.transfer.entering_layers import run
from isogloss.transfer.frozen_states import Keeper


def frozen_depth(stack: Stack) -> int | None:
    """The highest layer that nothing trained has a part in; None when the embeddings are trained. Autograd knows."""
    ids = torch.zeros(1, 2, dtype=torch.long, device=next(stack.model.parameters()).device)
    with torch.enable_grad(), evaluating(stack.model):
        states = run(stack, {"input_ids": ids}, tuple(range(stack.depth + 1)))
    return max((layer for layer, given in states.items() if not given.requires_grad), default=None)


def keep_lower(stack: Stack, layers: tuple[int, ...], dtype: torch.dtype) -> Keeper:
    """A keeper of the states of frozen ``layers``, computed without dropout."""

    def compute(batch: Batch) -> dict[int, torch.Tensor]:
        with evaluating(stack.model):
            return run(stack, batch.inputs, layers)

    return Keeper(compute, dict.fromkeys(layers, stack.width), dtype)
