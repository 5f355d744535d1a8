"""Entropy maximisation: epochs in which the language head learns alternate with ones that confuse it (Tanti21 §3.1)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from isogloss.tasks.heads import Classifier
from isogloss.transfer.language_texts import LanguageTexts
from isogloss.transfer.method import Ground, Method, Part
from isogloss.transfer.network import Network, Step


@dataclass(frozen=True)
class Entropy(Method):
    """``(1 - w) * task loss + w * mean of -sum over languages of ln y``, which is least for equal probabilities.

    Before each epoch of the task the language head is trained alone for one epoch of the texts.
    """

    name: ClassVar[str] = "entropy"
    rank: ClassVar[int] = 2
    weight: float = 0.1  # w; Tanti21 Table 5 has 0.7 for UDPOS, 0.1 for XNLI

    def attach(self, ground: Ground) -> Part:
        return EntropyPart(LanguageTexts(ground, self.name), ground.width, self.weight)

    def restore(self, ground: Ground, tensors: Mapping[str, Tensor]) -> Part:
        return Part()


class EntropyPart(Part):
    whole = True  # one batch of texts a step

    def __init__(self, texts: LanguageTexts, width: int, weight: float) -> None:
        super().__init__()
        self.texts, self.weight = texts, weight
        self.head = Classifier(width, len(texts.languages), spread=texts.settings.head_spread)
        self.head.requires_grad_(False)  # it learns in its own epochs only
        self.batches = texts.forever()

    def before_epoch(self, network: Network, epoch: int) -> None:
        """One epoch of the language head alone; the encoder stays as it is."""
        settings = self.texts.settings
        self.head.requires_grad_(True)
        optimiser = torch.optim.Adam(self.head.parameters(), lr=settings.head_rate or settings.encoder_rate)
        network.eval()
        self.head.train()
        for batch in self.texts.epoch(epoch):
            with torch.no_grad():
                states = Step(network, batch, epoch).states
            loss = self.head.loss(self.head(states, batch.unit_mask), batch.targets)
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            optimiser.zero_grad(set_to_none=True)
        self.head.requires_grad_(False)

    def objective(self, step: Step, inner: Callable[[], Tensor]) -> Tensor:
        batch = next(self.batches)
        states = Step(step.network, batch, step.epoch, step.progress).states
        return (1 - self.weight) * inner() + self.weight * confusion(
            self.head(states, batch.unit_mask), batch.unit_mask
        )


def confusion(scores: Tensor, mask: Tensor) -> Tensor:
    """Mean over units of ``-sum over languages of ln y`` (scores: sentences x units x languages)."""
    return -scores[mask].log_softmax(-1).sum(-1).mean()
