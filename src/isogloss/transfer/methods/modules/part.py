"""What every method at work is: a module that changes what the head sees, the loss, or what is done between epochs."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from torch import Tensor, nn

if TYPE_CHECKING:
    from isogloss.transfer.network import Network, Step

Hidden = Mapping[int, Tensor]  # layer -> rows x time x d


class Part(nn.Module):
    """A method at work. A method overrides what it changes, and leaves the rest.

    ``wants`` are the hidden layers it looks at. A part that ``reads`` chooses what the head sees; there is at most one.
    ``still`` switches the encoder's dropout off; ``whole`` asks for batches that are not read in pieces. A part that is
    ``normalised`` sees every layer as the last one is seen: after the final normalisation, in models that have one.
    """

    wants: tuple[int, ...] = ()
    reads: bool = False
    still: bool = False
    whole: bool = False
    normalised: bool = False

    def width(self, width: int) -> int:
        """How wide the states are that the head sees, when they were ``width`` before this part."""
        return width

    def states(self, states: Tensor, hidden: Hidden, mask: Tensor) -> Tensor:
        """What the head sees (rows x time x d); ``mask`` (rows x time) marks real tokens."""
        return states

    def objective(self, step: "Step", inner: Callable[[], Tensor]) -> Tensor:
        """The loss of a step; ``inner`` computes the task's loss, or that of the method before this one."""
        return inner()

    def before_epoch(self, network: "Network", epoch: int) -> None:
        """Called before each epoch."""
