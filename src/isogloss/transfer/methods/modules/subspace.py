"""The head sees only some dimensions of a projection: for instance what is left without languages (Liang21 Fig. 4)."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from isogloss.transfer.methods.modules.part import Hidden, Part


class SubspacePart(Part):
    directions: Tensor

    def __init__(self, components: NDArray[np.float64]) -> None:
        super().__init__()
        self.register_buffer("directions", torch.as_tensor(components.T.copy(), dtype=torch.float32))  # d x dims

    def width(self, width: int) -> int:
        return int(self.directions.shape[1])

    def states(self, states: Tensor, hidden: Hidden, mask: Tensor) -> Tensor:
        return states @ self.directions
