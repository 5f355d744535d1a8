"""Gradient reversal: the encoder is trained to make its languages hard to tell apart (Tanti21 §3.1)."""

from collections.abc import Callable
from math import exp
from typing import Any

import torch
from torch import Tensor

from isogloss.transfer.language_texts import LanguageTexts, make_language_head
from isogloss.transfer.methods.modules.part import Part
from isogloss.transfer.network import Step


class ReversalPart(Part):
    whole = True  # one batch of texts a step

    def __init__(self, texts: LanguageTexts, width: int, strength: float, schedule: str) -> None:
        super().__init__()
        self.strength, self.schedule = strength, schedule
        self.languages = texts.languages
        self.head = make_language_head(texts.settings, width, len(texts.languages))
        self.batches = texts.forever()

    def objective(self, step: Step, inner: Callable[[], Tensor]) -> Tensor:
        batch = next(self.batches)
        states = Step(step.network, batch, step.epoch, step.progress).states
        scores = self.head(reverse(states, self.strength_at(step.progress)), batch.unit_mask)
        return inner() + self.head.loss(scores, batch.targets)

    def strength_at(self, progress: float) -> float:
        """Lambda when ``progress`` of all steps are done."""
        return self.strength * (2 / (1 + exp(-10 * progress)) - 1) if self.schedule == "rising" else self.strength


class _Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, states: Tensor, strength: float) -> Tensor:
        ctx.strength = strength
        return states.view_as(states)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return -ctx.strength * gradients[0], None


def reverse(states: Tensor, strength: float) -> Tensor:
    """``states`` as they are; their gradient comes back times ``-strength``."""
    reversed_states: Tensor = _Reverse.apply(states, strength)  # type: ignore[no-untyped-call]
    return reversed_states
