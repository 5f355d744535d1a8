"""Plain concatenation of layers: a baseline that Chen22 lacks."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from isogloss.transfer.method import Ground, Hidden, Method, Part
from isogloss.transfer.methods.layers import read_layers


@dataclass(frozen=True)
class Concatenation(Method):
    """The head sees several layers side by side: ``concat:1,12``."""

    name: ClassVar[str] = "concat"
    rank: ClassVar[int] = 0
    layers: str = "all"

    def attach(self, ground: Ground) -> Part:
        return ConcatenationPart(read_layers(self.layers, ground.stack.depth, lowest=0))


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
