"""Plain fine-tuning, and layers that are frozen, re-initialised or read instead of the last one."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from isogloss.transfer.method import Ground, Method
from isogloss.transfer.methods.layers import read_layers
from isogloss.transfer.settings import Settings

if TYPE_CHECKING:
    from isogloss.transfer.methods.modules.part import Part


@dataclass(frozen=True)
class Plain(Method):
    """Train everything; the head sees the last layer."""

    name: ClassVar[str] = "plain"


@dataclass(frozen=True)
class Frozen(Method):
    """Keep layers as they are: ``frozen:0-6`` the embedding and six layers, ``frozen`` the whole encoder."""

    name: ClassVar[str] = "frozen"
    layers: str = "all"

    def change(self, model: Any, settings: Settings, folder: str) -> Any:
        from isogloss.encoders.layers import find_stack
        from isogloss.encoders.surgery import Freeze

        if self.layers == "all":
            return freeze_all(model)
        return Freeze(read_layers(self.layers, find_stack(model).depth, lowest=0)).apply(model)


@dataclass(frozen=True)
class Linear(Method):
    """Train the head only (Tanti21's initial condition)."""

    name: ClassVar[str] = "linear"

    def change(self, model: Any, settings: Settings, folder: str) -> Any:
        return freeze_all(model)


@dataclass(frozen=True)
class RandomInit(Method):
    """Re-initialise layers before fine-tuning, otherwise equal (Muller21 §2.1): ``random-init:1-2``."""

    name: ClassVar[str] = "random-init"
    layers: str = "all"

    def change(self, model: Any, settings: Settings, folder: str) -> Any:
        from isogloss.encoders.layers import find_stack
        from isogloss.encoders.surgery import Reinitialise

        return Reinitialise(read_layers(self.layers, find_stack(model).depth), settings.seed).apply(model)


@dataclass(frozen=True)
class Layer(Method):
    """The head sees a lower layer; layers above it are neither computed nor trained."""

    name: ClassVar[str] = "layer"
    rank: ClassVar[int] = 0
    layer: str = "last"

    def attach(self, ground: Ground) -> "Part":
        from isogloss.transfer.methods.modules.layer import LayerPart

        return LayerPart(read_layers(self.layer, ground.stack.depth)[-1])


def freeze_all(model: Any) -> Any:
    """``model`` with no parameter left to train."""
    model.requires_grad_(False)
    return model
