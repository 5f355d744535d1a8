"""The cells of a glance: retrieval and unbiased CKA at every layer, and what sentence structure gives away."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from isogloss.corpora.lab import bag_of_tags_retrieval
from isogloss.corpora.records import Tree
from isogloss.geometry import cka_grid
from isogloss.pretrain.lab_encoder import LabEncoder, LabWorld
from isogloss.probes.statistics import wilson
from isogloss.runs import Bench, Cell
from isogloss.studies.shared.models import Untrained, open_model

POOLS = ("hard", "natural")
PARTS = ("validation", "test")  # the layer is chosen on the first, and its score read off the second
States = NDArray[np.float32]


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
        lab = self.world.build()
        first, second = lab.codes[:2]
        rows = [
            score_tags(lab.parallel_trees(self.pool, (first, second), pool=pool, part=part), pool, part)
            for pool in POOLS
            for part in PARTS
        ]
        words = [set(" ".join(lab.text(code, self.sentences)).split()) for code in (first, second)]
        return Structure(tuple(rows), (first, second), len(words[0]), len(words[0] & words[1]))


def score_layers(first: States, second: States, pool: str, part: str) -> Iterator[Score]:
    """Scores of two languages' sentence states, n x layers x d each; both are centred."""
    from isogloss.geometry import retrieval_grid

    layers = [{"first": first[:, layer], "second": second[:, layer]} for layer in range(first.shape[1])]
    for layer, one in enumerate(retrieval_grid(layers, variants=("centred",))):
        share = wilson(round((one.forward + one.backward) * one.n), 2 * one.n)
        yield Score(pool, part, layer, "retrieval", *share.columns())
        pair = [states[:, layer] - states[:, layer].mean(axis=0) for states in (first, second)]
        grid = cka_grid(pair, kind="unbiased", resamples=200)
        low, high = (np.nan, np.nan) if grid.low is None or grid.high is None else (grid.low[0, 1], grid.high[0, 1])
        yield Score(pool, part, layer, "cka", float(grid.values[0, 1]), float(low), float(high), grid.n)


def score_tags(trees: Mapping[str, Sequence[Tree]], pool: str, part: str) -> Score:
    """Retrieval by bags of tags, the mean of both directions."""
    first, second = trees.values()
    value = (bag_of_tags_retrieval(first, second) + bag_of_tags_retrieval(second, first)) / 2
    n = len(first) + len(second)
    share = wilson(value * n, n)
    return Score(pool, part, None, "retrieval", *share.columns())
