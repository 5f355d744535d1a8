"""New transformer layers for the task, on frozen lower layers of the encoder (Wu20 §5.1.2)."""

from torch import Tensor, nn

from isogloss.transfer.methods.modules.part import Hidden, Part


class TaskLayersPart(Part):
    """``blocks`` on the states of ``layer``; ``bridge`` leads into the space that the blocks were trained in."""

    reads = True

    def __init__(self, layer: int, blocks: nn.ModuleList, bridge: nn.Module | None = None) -> None:
        super().__init__()
        self.layer, self.blocks, self.bridge = layer, blocks, bridge
        self.wants = (layer,)

    def states(self, states: Tensor, hidden: Hidden, mask: Tensor) -> Tensor:
        states = hidden[self.layer].float()  # rows x time x d
        if self.bridge is not None:
            states = self.bridge(states)
        for block in self.blocks:
            states = block(states, src_key_padding_mask=~mask)
        return states
