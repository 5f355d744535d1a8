"""Scalar mix: the head sees a learnt weighted mean of layers (Peters et al. 2018); a baseline for fusion."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from isogloss.transfer.method import Ground, Hidden, Method, Part
from isogloss.transfer.methods.layers import read_layers


@dataclass(frozen=True)
class ScalarMix(Method):
    """``gamma * sum of softmax(w)_k h_k`` over the layers given."""

    name: ClassVar[str] = "scalar-mix"
    rank: ClassVar[int] = 0
    layers: str = "all"

    def attach(self, ground: Ground) -> Part:
        return ScalarMixPart(read_layers(self.layers, ground.stack.depth, lowest=0))


class ScalarMixPart(Part):
    reads = True
    normalised = True

    def __init__(self, layers: tuple[int, ...]) -> None:
        super().__init__()
        self.wants = layers
        self.weights = nn.Parameter(torch.zeros(len(layers)))
        self.gamma = nn.Parameter(torch.ones(()))

    def states(self, states: Tensor, hidden: Hidden, mask: Tensor) -> Tensor:
        shares = self.weights.softmax(0)
        mixed = torch.stack([hidden[layer].float() for layer in self.wants], dim=-1) @ shares
        return self.gamma * mixed
