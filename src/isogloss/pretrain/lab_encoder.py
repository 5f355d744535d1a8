"""The lab's own encoder as a cell: pretrained on constructed languages, in minutes, on any laptop."""

from dataclasses import dataclass, field
from typing import ClassVar

from isogloss.corpora.lab import Lab
from isogloss.corpora.lab.names import parse_world
from isogloss.pretrain import Recipe
from isogloss.runs import Bench, Cell

SENTENCES = 60_000  # of text a language, never parallel
LEAST_SENTENCES, SENTENCES_A_STEP = 2_000, 40
PAIRS = {
    "pairs": 0.5,
    "repeats": 0.5,
}  # shares of the batches with two sentences per row, and of these with the same twice


@dataclass(frozen=True)
class LabWorld:
    """Which languages: a preset of the lab with its knobs (``twins?anchors=0.3``) and its seed. Equal worlds make equal
    languages on any machine."""

    preset: str = "families"
    seed: int = 0

    def build(self) -> Lab:
        return Lab(parse_world(self.preset, self.seed).config())


@dataclass(frozen=True)
class EncoderRecord:
    """What a finished encoder says of itself; the model is the cell's folder."""

    steps: int
    seconds: float
    perplexity: dict[str, float]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class LabEncoder(Cell[EncoderRecord]):
    """Pretrain an encoder on ``sentences`` of each language of a world."""

    name: ClassVar[str] = "lab-encoder"
    record: ClassVar[type] = EncoderRecord
    world: LabWorld = field(default_factory=LabWorld)
    sentences: int = SENTENCES
    recipe: Recipe = field(default_factory=lambda: Recipe.preset("lab"))

    def label(self) -> str:
        return f"lab:{self.world.preset}" + ("+pairs" if self.recipe.data.pairs else "")

    def run(self, bench: Bench) -> EncoderRecord:
        from isogloss.pretrain import pretrain

        lab = self.world.build()
        texts = {language.code: lab.text(language.code, self.sentences) for language in lab.languages}
        done = pretrain(self.recipe, texts, bench.workspace)
        return EncoderRecord(done.steps, done.seconds, dict(done.perplexities), done.warnings)


def lab_encoder(
    preset_name: str, seed: int = 0, *, sentences: int | None = None, steps: int | None = None, pairs: bool = False
) -> LabEncoder:
    """The encoder of a preset at its usual size, or with fewer ``steps`` on as much text as these can read.

    ``seed`` moves the world and the training; with ``pairs`` it also reads rows of two sentences.
    """
    recipe = Recipe.preset("lab").changed(seed=seed, data=PAIRS if pairs else {})
    if steps is not None:
        # Whoever shortens it wants it soon. At full length it stays as it was published, step by step.
        recipe = recipe.changed(training={"steps": steps, "warmup": max(1, steps // 20), "kernels": "fast"})
    enough = SENTENCES if steps is None else min(SENTENCES, max(LEAST_SENTENCES, SENTENCES_A_STEP * steps))
    return LabEncoder(LabWorld(parse_world(preset_name).world, seed), sentences or enough, recipe)
