"""Plain concatenation of layers: a baseline that Chen22 lacks."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from isogloss.transfer.method import Ground, Method
from isogloss.transfer.methods.layers import read_layers

if TYPE_CHECKING:
    from isogloss.transfer.methods.modules.part import Part


@dataclass(frozen=True)
class Concatenation(Method):
    """The head sees several layers side by side: ``concat:1,12``."""

    name: ClassVar[str] = "concat"
    rank: ClassVar[int] = 0
    layers: str = "all"

    def attach(self, ground: Ground) -> "Part":
        from isogloss.transfer.methods.modules.concatenation import ConcatenationPart

        return ConcatenationPart(read_layers(self.layers, ground.stack.depth, lowest=0))
