"""What is kept of every epoch of a fine-tuning."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Epoch:
    """One epoch of a fine-tuning: its mean loss, and the score of the source's validation part after it."""

    number: int
    loss: float
    validation: float
