"""Entropy maximisation: epochs in which the language head learns alternate with ones that confuse it (Tanti21 §3.1)."""

from collections.abc import Callable

import torch
from torch import Tensor

from isogloss.transfer.language_texts import LanguageTexts, make_language_head
from isogloss.transfer.methods.entropy import Entropy
from isogloss.transfer.methods.modules.part import Part
from isogloss.transfer.network import Network, Step


class EntropyPart(Part):
    whole = True  # one batch of texts a step

    def __init__(self, texts: LanguageTexts, width: int, method: Entropy) -> None:
        super().__init__()
        self.texts, self.method, self.weight = texts, method, method.weight
        self.head = make_language_head(texts.settings, width, len(texts.languages))
        self.head.requires_grad_(False)  # it learns in its own epochs only
        self.batches = texts.forever()
        self.adam: torch.optim.Adam | None = None

    def before_epoch(self, network: Network, epoch: int) -> None:
        """One epoch of the language head alone; the encoder stays as it is."""
        settings = self.texts.settings
        self.head.requires_grad_(True)
        if self.adam is None or self.method.adam == "new":
            self.adam = torch.optim.Adam(self.head.parameters(), lr=settings.head_rate or settings.encoder_rate)
        network.train(self.method.dropout)
        self.head.train()
        most = network.examples if self.method.phase == "smaller" else None
        for batch in self.texts.epoch(epoch, most):
            with torch.no_grad():
                states = Step(network, batch, epoch).states
            loss = self.head.loss(self.head(states, batch.unit_mask), batch.targets)
            loss.backward()  # type: ignore[no-untyped-call]
            self.adam.step()
            self.adam.zero_grad(set_to_none=True)
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
