"""New transformer layers for the task, on frozen lower layers of the encoder (Wu20 §5.1.2)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from isogloss.bounds import Count, Share
from isogloss.transfer.method import Ground, Method
from isogloss.transfer.methods.layers import read_layers
from isogloss.transfer.methods.simple import freeze_all
from isogloss.transfer.settings import Settings

if TYPE_CHECKING:
    from isogloss.transfer.methods.modules.part import Part


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

    def attach(self, ground: Ground) -> "Part":
        from torch import nn

        from isogloss.transfer.methods.modules.task_layers import TaskLayersPart

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
