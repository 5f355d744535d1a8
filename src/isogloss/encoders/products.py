"""Products of float32 matrices on a CPU, as fast as it can, in the same precision.

PyTorch leaves them to MKL, which keeps to 256 bits on CPUs that are not Intel's. Where such a CPU computes 512 bits at
a time, oneDNN, which PyTorch brings along, takes half the time. Results differ by rounding.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from isogloss.encoders.devices import mkl_is_narrow

_linear: Any = getattr(getattr(torch.ops.mkldnn, "_linear_pointwise", None), "default", None)
WIDE = _linear is not None and mkl_is_narrow()
LEAST = 2**21  # multiplications, below which oneDNN is no faster (measured)
STEPS = (
    8  # numbers of rows from one power of two to the next: oneDNN makes a kernel for each, which takes a millisecond
)
SHORTEST_STEP = 32


def times(rows: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``rows`` (n x inner) times ``weight`` (outer x inner) transposed, plus ``bias``; gradients are not followed."""
    if WIDE and rows.shape[0] * weight.numel() >= LEAST and rows.dtype == torch.float32 and rows.is_cpu:
        found: Tensor = _linear(rows, weight, bias, "none", [], "")
        return found
    return torch.mm(rows, weight.t()) if bias is None else torch.addmm(bias, rows, weight.t())


def gradients_of(change: Tensor, rows: Tensor, weight: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Of rows, weight and bias of a product, from that of what it gave."""
    return times(change, weight.t()), times(change.t(), rows.t()), change.sum(0)


def filled(rows: Tensor) -> Tensor:
    """``rows`` (n x d) with zeros below them, up to one of few numbers of rows; as they are where nothing is gained."""
    missing = next_step(len(rows)) - len(rows) if WIDE and rows.is_cpu else 0
    return pad(rows, (0, 0, 0, missing)) if missing else rows


def next_step(count: int) -> int:
    """``count``, rounded up to one of the numbers of rows that have kernels: at most an eighth more, and 31."""
    step = max(SHORTEST_STEP, (1 << count.bit_length() >> 1) // STEPS)
    return -(-count // step) * step


class FastLinear(nn.Linear):
    """A linear layer by ``product``; a plain one becomes one by changing its class."""

    def forward(self, states: Tensor) -> Tensor:
        return product(states, self.weight, self.bias)


def use_fast_products(module: nn.Module) -> None:
    """Let all plain linear layers in ``module`` multiply by ``product`` where that is faster; weights stay in place."""
    for part in module.modules() if WIDE else ():
        if type(part) is nn.Linear:
            part.__class__ = FastLinear


def product(states: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``states`` (... x inner) times ``weight`` (outer x inner) transposed, plus ``bias``."""
    rows = states.reshape(-1, states.shape[-1])
    found: Tensor = _Product.apply(rows, weight, bias)  # type: ignore[no-untyped-call]
    return found.view(*states.shape[:-1], -1)


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        ctx.number = len(rows)
        rows = filled(rows)
        ctx.save_for_backward(rows, weight)
        return times(rows, weight, bias)[: ctx.number]

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        rows, weight = ctx.saved_tensors
        change = filled(gradients[0]).contiguous()
        needed, of_weight, of_bias = ctx.needs_input_grad
        return (
            times(change, weight.t())[: ctx.number] if needed else None,
            times(change.t(), rows.t()) if of_weight else None,
            change.sum(0) if of_bias else None,
        )
