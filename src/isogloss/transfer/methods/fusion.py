"""Attentional fusion of a lower layer with the last one: AIF and DLFA (Chen22 §II)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from isogloss.bounds import Count
from isogloss.transfer.method import Ground, Method
from isogloss.transfer.methods.layers import read_layers

if TYPE_CHECKING:
    from isogloss.transfer.methods.modules.part import Part

Gate = Literal["literal", "gate"]
Branches = Literal["both", "global", "local"]


@dataclass(frozen=True)
class Fusion(Method):
    """DLFA of ``layer`` and ``upper``: ``fusion:1``.

    ``gate``: ``literal`` weighs by ``AIF(W) = W * sigmoid(...)`` as the equations stand, ``gate`` by the sigmoid alone.
    ``branches``: a global and a local one, or two of one kind (Chen22 Table V's G and L).
    """

    name: ClassVar[str] = "fusion"
    rank: ClassVar[int] = 0
    layer: str = "1"
    upper: str = "last"
    gate: Gate = "literal"
    branches: Branches = "both"
    ratio: Count = 4  # C1 shrinks the width by it

    def attach(self, ground: Ground) -> "Part":
        from isogloss.transfer.methods.modules.fusion import FusionPart

        depth = ground.stack.depth
        lower, upper = read_layers(self.layer, depth, lowest=0)[-1], read_layers(self.upper, depth)[-1]
        return FusionPart(ground.stack.width, lower, upper, self.gate, self.branches, self.ratio)
