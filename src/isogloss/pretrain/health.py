"""The health of a run: does every layer do its work, and does the residual stream stay within bounds?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from isogloss.pretrain.masking import Batch
from isogloss.pretrain.sharing import Paths


@dataclass(frozen=True)
class LayerHealth:
    """One layer for one language at one validation; layer 0 is the embeddings."""

    language: str
    layer: int
    residual_norm: float
    gradient_norm: float
    loss_without: float  # how much the loss rises when the layer is skipped


def examine(
    paths: Paths, held_out: Mapping[str, list[Batch]], losses: Mapping[str, float], device: torch.device
) -> list[LayerHealth]:
    return []


def complaints(layers: Sequence[LayerHealth]) -> list[str]:
    return []
