"""Scalar mix: the head sees a learnt weighted mean of layers (Peters et al. 2018); a baseline for fusion."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from isogloss.transfer.method import Ground, Method
from isogloss.transfer.methods.layers import read_layers

if TYPE_CHECKING:
    from isogloss.transfer.methods.modules.part import Part


@dataclass(frozen=True)
class ScalarMix(Method):
    """``gamma * sum of softmax(w)_k h_k`` over the layers given."""

    name: ClassVar[str] = "scalar-mix"
    rank: ClassVar[int] = 0
    layers: str = "all"

    def attach(self, ground: Ground) -> "Part":
        from isogloss.transfer.methods.modules.scalar_mix import ScalarMixPart

        return ScalarMixPart(read_layers(self.layers, ground.stack.depth, lowest=0))
