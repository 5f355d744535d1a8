"""Scalar mix: the head sees a learnt weighted mean of layers (Peters et al. 2018); a baseline for fusion."""

import torch
from torch import Tensor, nn

from isogloss.transfer.methods.modules.part import Hidden, Part


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
