"""The settings of a fine-tuning: one frozen record of plain values."""

from dataclasses import dataclass
from typing import Literal

from isogloss.errors import IsoglossError


@dataclass(frozen=True)
class Settings:
    """How a model is fine-tuned. The defaults are XTREME's (Chen22 §III-C), with 10% warm-up (Muller21 A.1).

    A step sees ``batch`` sentences, or, where ``batch_tokens`` is set, as many as fit that many subwords with their
    padding; ``accumulate`` such batches make one update. ``threads`` and ``device`` do not change what is learnt.
    """

    epochs: int = 5
    encoder_rate: float = 2e-5
    head_rate: float | None = None  # None: the encoder's
    optimiser: Literal["adamw", "adam"] = "adamw"
    weight_decay: float = 0.01
    schedule: Literal["linear", "constant"] = "linear"
    warmup: float = 0.1  # share of all steps
    batch: int = 32
    batch_tokens: int | None = None
    accumulate: int = 1
    clip: float = 1.0  # largest norm of a gradient; 0 leaves gradients alone
    head_dropout: float | None = None  # None: the head's own
    head_spread: float = 0.02  # standard deviation that a softmax layer's weights are drawn with
    encoder_dropout: bool = True
    max_tokens: int | None = None  # subwords read at once; None: as many as the model can
    long: Literal["windows", "cut"] = "windows"  # sentences longer than that: read in windows, or cut as the papers do
    drop_unknown: bool = False  # leave texts with an unknown subword out, in training and in tests (Tanti21 §2)
    sort: bool = True  # sentences of like length go into one batch
    keep: Literal["best", "last"] = "best"  # epoch, by the source's validation part
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    device: str = "auto"
    threads: int | None = None  # of this process; None leaves torch's own choice
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("epochs", "batch", "accumulate"):
            _require(getattr(self, name) >= 1, name, getattr(self, name), "at least 1")
        _require(self.encoder_rate >= 0, "encoder_rate", self.encoder_rate, "at least 0")
        _require(self.head_rate is None or self.head_rate > 0, "head_rate", self.head_rate, "above 0")
        _require(0 <= self.warmup <= 1, "warmup", self.warmup, "a share from 0 to 1")
        _require(self.batch_tokens is None or self.batch_tokens >= 1, "batch_tokens", self.batch_tokens, "at least 1")
        _require(self.clip >= 0, "clip", self.clip, "at least 0")
        _require(self.threads is None or self.threads >= 1, "threads", self.threads, "at least 1")


def _require(holds: bool, name: str, value: object, rule: str) -> None:
    if not holds:
        raise IsoglossError(f"{name} is {value}", where="settings", remedy=f"{name} must be {rule}")
