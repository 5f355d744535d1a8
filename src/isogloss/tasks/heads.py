"""What stands on the encoder: a module from states to scores, the loss of scores, and what scores say."""

from abc import abstractmethod
from typing import Generic, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

IGNORED = -1  # a target that is padding, or a label the training part lacks
Scores = TypeVar("Scores")


class Head(nn.Module, Generic[Scores]):
    """Rates the units (words, or the one text) of each sentence. ``mask`` (sentences x units) marks real ones."""

    fast = False  # whether cheaper operations may serve whose results differ by rounding

    @abstractmethod
    def forward(self, states: Tensor, mask: Tensor) -> Scores:
        """Scores from states (sentences x units x d)."""

    @abstractmethod
    def loss(self, scores: Scores, targets: Tensor) -> Tensor:
        """The mean loss of a unit; ``targets`` are sentences x units x columns, ``IGNORED`` where there is none."""

    @abstractmethod
    def decode(self, scores: Scores, mask: Tensor) -> list[NDArray[np.int64]]:
        """The best answer for each sentence: units x columns."""

    def __call__(self, states: Tensor, mask: Tensor) -> Scores:
        scores: Scores = super().__call__(states, mask)
        return scores


class Classifier(Head[Tensor]):
    """One softmax layer (Tanti21 §3, Chen22 §III-B); ``spread`` is the standard deviation its weights start with."""

    def __init__(self, width: int, labels: int, dropout: float = 0.1, spread: float = 0.02) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.out = nn.Linear(width, labels)
        nn.init.normal_(self.out.weight, std=spread)
        nn.init.zeros_(self.out.bias)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        scores: Tensor = self.out(self.dropout(states))  # sentences x units x labels
        return scores

    def loss(self, scores: Tensor, targets: Tensor) -> Tensor:
        return mean_loss(scores, targets[..., 0])

    def decode(self, scores: Tensor, mask: Tensor) -> list[NDArray[np.int64]]:
        best = scores.argmax(-1, keepdim=True).cpu().numpy()
        return [row[:size] for row, size in zip(best, mask.sum(1).tolist(), strict=True)]


class PooledClassifier(Classifier):
    """A softmax layer on a pooler (dense layer and tanh), as BERT's own head for pairs of texts has it (XTREME)."""

    def __init__(self, width: int, labels: int, dropout: float = 0.1, spread: float = 0.02) -> None:
        super().__init__(width, labels, dropout, spread)
        self.dense = nn.Linear(width, width)
        nn.init.normal_(self.dense.weight, std=0.02)
        nn.init.zeros_(self.dense.bias)

    def adopt(self, pooler: nn.Module | None) -> None:
        """Start from a pretrained pooler where the model has one of this width; otherwise from chance."""
        dense = getattr(pooler, "dense", None)
        if isinstance(dense, nn.Linear) and dense.weight.shape == self.dense.weight.shape:
            self.dense.load_state_dict(dense.state_dict())

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        return super().forward(torch.tanh(self.dense(states)), mask)


def mean_loss(scores: Tensor, targets: Tensor) -> Tensor:
    """Cross-entropy over the targets that are not ``IGNORED``; zero, with a gradient, where all are."""
    flat = scores.float().flatten(0, -2)
    total = functional.cross_entropy(flat, targets.flatten(), ignore_index=IGNORED, reduction="sum")
    return total / torch.clamp((targets != IGNORED).sum(), min=1)
