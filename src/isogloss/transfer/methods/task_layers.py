"""New transformer layers for the task, on frozen lower layers of the encoder (Wu20 §5.1.2)."""

from dataclasses import dataclass
from typing import Any, ClassVar

from torch import Tensor, nn

from isogloss.bounds import Count, Share
from isogloss.transfer.method import Ground, Hidden, Method, Part
from isogloss.transfer.methods.layers import read_layers
from isogloss.transfer.methods.simple import freeze_all
from isogloss.transfer.settings import Settings


@dataclass(frozen=True)
class TaskLayers(Method):
    """``task-layers:4`` trains ``count`` layers of the encoder's own size on layer 4, which stays as it is."""

    name: ClassVar[str] = "task-layers"
    rank: ClassVar[int] = 0
    layer: str = "last"
    count: Count = 4
    dropout: Share = 0.1

    def change(self, model: Any, settings: Settings, folder: str) -> Any:
        return freeze_all(model)

    def attach(self, ground: Ground) -> Part:
        layer = read_layers(self.layer, ground.stack.depth, lowest=0)[-1]
        config = ground.stack.model.config.get_text_config()
        heads = int(getattr(config, "num_attention_heads", 0)) or 1
        inner = int(getattr(config, "intermediate_size", 0)) or 4 * ground.stack.width
        blocks = [
            nn.TransformerEncoderLayer(
                ground.stack.width, heads, inner, self.dropout, activation="gelu", batch_first=True
            )
            for _ in range(self.count)
        ]
        return TaskLayersPart(layer, nn.ModuleList(blocks))


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
