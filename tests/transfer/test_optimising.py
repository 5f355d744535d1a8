"""Moving parameters with less work around it: to the bit what torch does."""

import math
from typing import Any

import pytest
import torch
from torch import nn
from torch.optim import Adam, AdamW

from isogloss.transfer.optimising import LeanAdam, clip_gradients

SIZES = ((5, 3), (7,), (4, 4))


def drawn() -> list[nn.Parameter]:
    torch.manual_seed(0)
    return [nn.Parameter(torch.randn(size)) for size in SIZES]


def groups(parameters: list[nn.Parameter]) -> list[dict[str, Any]]:
    return [
        {"params": parameters[:2], "lr": 1e-2, "weight_decay": 0.1},
        {"params": parameters[2:], "lr": 3e-2, "weight_decay": 0.0},
    ]


@pytest.mark.parametrize(("kind", "decoupled"), [(AdamW, True), (Adam, False)])
def test_parameters_move_as_torch_moves_them_whichever_have_gradients(kind: Any, decoupled: bool) -> None:
    theirs, ours = drawn(), drawn()
    torchs, lean = kind(groups(theirs), fused=True), LeanAdam(groups(ours), decoupled=decoupled)
    for step in range(12):
        missing = 2 if step < 3 else 1 if step % 4 == 1 else None  # late to begin; now and then without a gradient
        for number, pair in enumerate(zip(theirs, ours, strict=True)):
            gradient = torch.randn(SIZES[number]) * (10 if step % 3 else 0.01)
            for parameter in pair:
                parameter.grad = None if number == missing else gradient.clone()
        norm = torch.nn.utils.clip_grad_norm_(theirs, 1.0)
        assert clip_gradients(ours, 1.0) == float(norm)
        for group in (*torchs.param_groups, *lean.param_groups):
            group["lr"] *= 0.9
        torchs.step()
        lean.step()
        assert all(torch.equal(one, other) for one, other in zip(theirs, ours, strict=True)), step


def test_gradients_are_clipped_as_torch_clips_them() -> None:
    for largest, size in ((1.0, 5.0), (1.0, 0.01), (0.0, 5.0), (1.0, math.nan)):
        theirs, ours = drawn(), drawn()
        for parameter in (*theirs, *ours):
            parameter.grad = torch.full_like(parameter, size)
        norm = torch.nn.utils.clip_grad_norm_(theirs, largest or math.inf)
        torch.testing.assert_close(torch.tensor(clip_gradients(ours, largest)), norm, rtol=0, atol=0, equal_nan=True)
        for one, other in zip(theirs, ours, strict=True):
            torch.testing.assert_close(other.grad, one.grad, rtol=0, atol=0, equal_nan=True)


def test_nothing_to_clip_has_no_norm() -> None:
    assert clip_gradients(drawn(), 1.0) == 0.0
