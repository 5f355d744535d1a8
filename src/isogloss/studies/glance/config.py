"""The settings of a glance: two constructed languages, an encoder pretrained on both, and sentences to find again."""

from dataclasses import dataclass
from typing import Any

from isogloss.bounds import Limit, Seed
from isogloss.pretrain.lab_encoder import LabEncoder, lab_encoder
from isogloss.studies.shared.options import change


@dataclass(frozen=True)
class Config:
    """Two languages of the lab, an encoder pretrained on both, and pools of parallel sentences to find again."""

    preset: str = "twins"
    seed: Seed = 0
    sentences: Limit | None = None  # as many as the steps can read
    steps: Limit | None = None
    pool: Limit = 500

    def encoder(self) -> LabEncoder:
        return lab_encoder(self.preset, self.seed, sentences=self.sentences, steps=self.steps)


def configure(preset: str = "", **given: Any) -> Config:
    """The settings for a preset of the lab; what is not given keeps its default."""
    return change(Config(), preset=preset.removeprefix("lab:"), **given)


def demo(seed: int = 0, size: str = "demo") -> Config:
    """Small enough for a demo; ``tiny`` only shows that everything runs."""
    return Config(seed=seed, pool=60 if size == "tiny" else Config.pool)
