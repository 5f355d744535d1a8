"""The cells of a glance, their settings and their records."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from isogloss.bounds import Limit, Seed
from isogloss.runs import Bench, Cell
from isogloss.studies.shared.lab_encoder import LabEncoder, LabWorld, lab_encoder
from isogloss.studies.shared.models import Untrained, open_model

POOLS = ("hard", "natural")
PARTS = ("validation", "test")  # the layer is chosen on the first, and its score read off the second


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


@dataclass(frozen=True)
class Score:
    """One measure at one layer (None for a baseline that has no layers), both directions together."""

    pool: str
    part: str
    layer: int | None
    measure: str
    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class Scores:
    """All scores of one encoder or baseline."""

    rows: tuple[Score, ...]


@dataclass(frozen=True)
class Structure:
    """What the world itself gives away: retrieval by bags of tags, and the words that both languages have."""

    rows: tuple[Score, ...]
    languages: tuple[str, str]
    words: int
    common_words: int


@dataclass(frozen=True)
class Meet(Cell[Scores]):
    """How well the first two languages of a world find each other at every layer of an encoder."""

    name: ClassVar[str] = "meet"
    record: ClassVar[type] = Scores
    encoder: LabEncoder | Untrained = field(default_factory=LabEncoder)
    world: LabWorld = field(default_factory=LabWorld)
    pool: int = 500

    def label(self) -> str:
        return f"retrieval in {self.encoder.label()}"

    def run(self, bench: Bench) -> Scores:
        from isogloss.studies.glance.measures import score_layers

        lab, encoder = self.world.build(), open_model(self.encoder, bench)
        rows: list[Score] = []
        for pool in POOLS:
            for part in PARTS:
                texts = lab.parallel(self.pool, lab.codes[:2], pool=pool, part=part).texts.values()
                first, second = (encoder.encode(text) for text in texts)
                rows += score_layers(first, second, pool, part)
        return Scores(tuple(rows))


@dataclass(frozen=True)
class Tags(Cell[Structure]):
    """How far the sentences' structure alone finds translations."""

    name: ClassVar[str] = "tags"
    record: ClassVar[type] = Structure
    world: LabWorld = field(default_factory=LabWorld)
    pool: int = 500
    sentences: int = 2_000  # of text a language, to count common words in

    def label(self) -> str:
        return f"bag of tags on lab:{self.world.preset}"

    def run(self, bench: Bench) -> Structure:
        from isogloss.studies.glance.measures import score_tags

        lab = self.world.build()
        first, second = lab.codes[:2]
        rows = [
            score_tags(lab.parallel_trees(self.pool, (first, second), pool=pool, part=part), pool, part)
            for pool in POOLS
            for part in PARTS
        ]
        words = [set(" ".join(lab.text(code, self.sentences)).split()) for code in (first, second)]
        return Structure(tuple(rows), (first, second), len(words[0]), len(words[0] & words[1]))


def plan(config: Config) -> Sequence[Cell[Any]]:
    """The pretrained encoder, its untrained twin, and the world's own baseline."""
    trained = config.encoder()
    return [*meetings(config), Tags(trained.world, config.pool)]


def meetings(config: Config) -> tuple[Meet, Meet]:
    """Pretrained first, then untrained."""
    trained = config.encoder()
    twin = Untrained(trained, config.seed)
    return Meet(trained, trained.world, config.pool), Meet(twin, trained.world, config.pool)
