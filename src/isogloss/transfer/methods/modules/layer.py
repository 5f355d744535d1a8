"""The head sees a lower layer."""

from torch import Tensor

from isogloss.transfer.methods.modules.part import Hidden, Part


class LayerPart(Part):
    reads = True
    normalised = True

    def __init__(self, layer: int) -> None:
        super().__init__()
        self.layer = layer
        self.wants = (layer,)

    def states(self, states: Tensor, hidden: Hidden, mask: Tensor) -> Tensor:
        return hidden[self.layer]
