"""Attentional fusion of a lower layer with the last one: AIF and DLFA (Chen22 §II)."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from isogloss.transfer.methods.fusion import Branches, Gate
from isogloss.transfer.methods.modules.masked_norm import MaskedBatchNorm
from isogloss.transfer.methods.modules.part import Hidden, Part


class Branch(nn.Module):
    """``BN(C2(ReLU(BN(C1(x)))))``; a 1x1 convolution over time is a linear map of each token."""

    def __init__(self, width: int, ratio: int) -> None:
        super().__init__()
        inner = max(1, width // ratio)
        self.shrink, self.restore = nn.Linear(width, inner), nn.Linear(inner, width)
        self.inner_norm, self.outer_norm = MaskedBatchNorm(inner), MaskedBatchNorm(width)
        for linear in (self.shrink, self.restore):
            nn.init.kaiming_normal_(linear.weight, nonlinearity="relu")
            nn.init.zeros_(linear.bias)

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        inner = torch.relu(self.inner_norm(self.shrink(tokens), mask))
        outer: Tensor = self.outer_norm(self.restore(inner), mask)
        return outer


class Opening(nn.Module):
    """The sigmoid of what both branches say; a module, so that it can be watched."""

    def forward(self, said: Tensor, mask: Tensor) -> Tensor:
        return torch.sigmoid(said)


class FusionPart(Part):
    reads = True
    normalised = True
    whole = True  # batch statistics are of the batch

    def __init__(self, width: int, lower: int, upper: int, gate: Gate, branches: Branches, ratio: int = 4) -> None:
        super().__init__()
        self.lower, self.upper, self.gate = lower, upper, gate
        self.wants = tuple(sorted({lower, upper}))
        kinds = {"both": ("global", "local"), "global": ("global", "global"), "local": ("local", "local")}[branches]
        self.kinds = kinds
        self.branches = nn.ModuleList([Branch(width, ratio) for _ in kinds])
        self.opening = Opening()

    def states(self, states: Tensor, hidden: Hidden, mask: Tensor) -> Tensor:
        """``L1 * AIF((L1 + L2) / 2) + L2 * (1 - AIF((L1 + L2) / 2))``, rows x time x d."""
        lower, upper = hidden[self.lower].float(), hidden[self.upper].float()
        weight = self.weigh((lower + upper) / 2, mask)
        return lower * weight + upper * (1 - weight)

    def weigh(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """AIF of rows x time x d; padding takes part in no mean and in no batch statistic."""
        real = mask[..., None]
        mean = (tokens * real).sum(1, keepdim=True) / real.sum(1, keepdim=True).clamp(min=1)  # rows x 1 x d
        everywhere = torch.ones_like(mask[:, :1])
        outputs = [
            branch(mean, everywhere) if kind == "global" else branch(tokens, mask)
            for kind, branch in zip(self.kinds, self.branches, strict=True)
        ]
        gate: Tensor = self.opening(outputs[0] + outputs[1], mask)
        return tokens * gate if self.gate == "literal" else gate


@dataclass
class GateMean:
    """How far gates opened to the lower layer (0 to 1): the mean over tokens and dimensions; NaN without any."""

    total: float = 0.0
    count: int = 0

    @property
    def value(self) -> float:
        return self.total / self.count if self.count else float("nan")

    def add(self, _module: nn.Module, given: tuple[Tensor, Tensor], gate: Tensor) -> None:
        real = given[1][..., None].expand(*given[1].shape, gate.shape[-1])
        self.total += float((gate.detach() * real).sum())
        self.count += int(real.sum())


@contextmanager
def watch_gates(network: nn.Module) -> Iterator[GateMean]:
    """The mean gate of all that ``network`` reads meanwhile; of several fusions, their common mean."""
    mean = GateMean()
    hooks = [one.register_forward_hook(mean.add) for one in network.modules() if isinstance(one, Opening)]
    try:
        yield mean
    finally:
        for hook in hooks:
            hook.remove()
