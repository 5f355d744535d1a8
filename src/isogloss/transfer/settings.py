"""The settings of a fine-tuning: one frozen record of plain values."""

from dataclasses import dataclass, field
from typing import Literal

from isogloss.bounds import Count, DeviceName, Limit, Rate, Seed, Share, Weight, check_settings
from isogloss.runs.cells import ADDED_LATER


@dataclass(frozen=True)
class Settings:
    """How a model is fine-tuned. The defaults are XTREME's (Chen22 §III-C), with 10% warm-up (Muller21 A.1).

    A step sees ``batch`` sentences, or, where ``batch_tokens`` is set, as many as fit that many subwords with their
    padding; ``accumulate`` such batches make one update. ``threads`` and ``device`` do not change what is learnt.
    ``kernels: fast`` computes small models on a CPU in fewer operations and draws dropout faster: numbers differ from
    ``plain`` by rounding and by what is dropped.
    """

    epochs: Count = 5
    encoder_rate: Weight = 2e-5
    head_rate: Rate | None = None  # None: the encoder's
    optimiser: Literal["adamw", "adam"] = "adamw"
    weight_decay: Weight = 0.01
    schedule: Literal["linear", "constant"] = "linear"
    warmup: Share = 0.1  # share of all steps
    batch: Count = 32
    batch_tokens: Limit | None = None
    accumulate: Count = 1
    clip: Weight = 1.0  # largest norm of a gradient; 0 leaves gradients alone
    head_dropout: Share | None = None  # None: the head's own
    head_spread: Weight = 0.02  # standard deviation that a softmax layer's weights are drawn with
    encoder_dropout: bool = True
    max_tokens: Count | None = None  # subwords read at once; None: as many as the model can
    long: Literal["windows", "cut"] = "windows"  # sentences longer than that: read in windows, or cut as the papers do
    drop_unknown: bool = False  # leave texts with an unknown subword out, in training and in tests (Tanti21 §2)
    sort: bool = True  # sentences of like length go into one batch
    keep: Literal["best", "last"] = "best"  # epoch, by the source's validation part
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    device: DeviceName = "auto"
    threads: Count | None = None  # of this process; None leaves torch's own choice
    seed: Seed = 0
    kernels: Literal["plain", "fast"] = field(default="plain", metadata=ADDED_LATER)  # fast: fewer operations

    def __post_init__(self) -> None:
        check_settings(self)
