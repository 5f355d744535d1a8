"""Plain concatenation of layers: a baseline that Chen22 lacks."""

import torch
from torch import Tensor

from isogloss.transfer.methods.modules.part import Hidden, Part


class ConcatenationPart(Part):
    reads = True
    normalised = True

    def __init__(self, layers: tuple[int, ...]) -> None:
        super().__init__()
        self.wants = layers

    def width(self, width: int) -> int:
        return width * len(self.wants)

    def states(self, states: Tensor, hidden: Hidden, mask: Tensor) -> Tensor:
        return torch.cat([hidden[layer].float() for layer in self.wants], dim=-1)
