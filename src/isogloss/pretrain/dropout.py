"""Dropout on a CPU, where torch spends a fifth of a step on drawing single decisions.

One 64-bit number decides for four values, by 15 bits each; dropping is a bitwise product. The share that is dropped is
the setting to 1/32,768, and what is kept is scaled by the share that is kept in truth, so the expectation is exact.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

STEPS = 2**15  # values of a decision
WHOLE = {torch.bfloat16: torch.int16, torch.float32: torch.int32}  # integers as long as the numbers
SHORT = (torch.bfloat16,)


def fast_dropout(values: Tensor, share: float, types: tuple[torch.dtype, ...] = SHORT) -> Tensor:
    """``values`` with about ``share`` of them set to 0 and the rest scaled up."""
    kept, scale = drop(values, share, types)
    return kept if scale == 1 else kept * scale


def drop(values: Tensor, share: float, types: tuple[torch.dtype, ...] = SHORT) -> tuple[Tensor, float]:
    """The same without the scale, for callers that can scale something smaller; torch's own for other number types."""
    if values.dtype not in types or values.device.type != "cpu":
        return functional.dropout(values, share), 1.0
    cut = min(round(share * STEPS), STEPS - 1)
    kept: Tensor = _Keep.apply(values, cut)  # type: ignore[no-untyped-call]
    return kept, STEPS / (STEPS - cut)


class FastDropout(nn.Dropout):
    """Stands where a plain one stood; ``types`` are the number types that it is for."""

    def __init__(self, p: float, types: tuple[torch.dtype, ...] = SHORT) -> None:
        super().__init__(p)
        self.types = types

    def forward(self, values: Tensor) -> Tensor:
        return fast_dropout(values, self.p, self.types) if self.training else values


def use_fast_dropout(model: nn.Module, types: tuple[torch.dtype, ...] = SHORT) -> None:
    """Put ``FastDropout`` in the place of every dropout."""
    for module in list(model.modules()):
        for name, child in module.named_children():
            if type(child) is nn.Dropout:
                setattr(module, name, FastDropout(child.p, types).train(child.training))


class _Keep(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, cut: int) -> Tensor:
        mask = _keep_mask(values.numel(), cut).to(WHOLE[values.dtype]).view(values.shape)
        ctx.save_for_backward(mask)
        return _masked(values, mask)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        (mask,) = ctx.saved_tensors
        return _masked(gradients[0], mask), None


def _keep_mask(count: int, cut: int) -> Tensor:
    """All bits set with the share 1 - cut/STEPS, none otherwise."""
    draws = torch.empty((count + 3) // 4, dtype=torch.int64).random_(-(2**63), None)
    decisions = draws.view(torch.int16)[:count]
    return decisions.bitwise_and_(STEPS - 1).sub_(cut).bitwise_right_shift_(15).bitwise_not_()


def _masked(values: Tensor, mask: Tensor) -> Tensor:
    return (values.contiguous().view(mask.dtype) & mask).view(values.dtype)
