"""Moments of text that one cell should not read alone: a cell per shard, and a cell that adds them up.

The content of a sentence decides which half it is in, so copies of it are in one half, whichever shards they are in.
Every token of the fitting half counts. Of the other half the sentences with the smallest hashes are kept: a sample that
merges exactly, too. So neither moments nor sample depend on how the text was cut, but for the rounding of sums.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
import pandas as pd

from isogloss.corpora.shards import Shard
from isogloss.encoders.token_draws import LEAST_TOKENS
from isogloss.errors import IsoglossError
from isogloss.files import write_frame
from isogloss.geometry import Moments
from isogloss.progress import Task
from isogloss.runs import Bench, Cell
from isogloss.studies.shared.gather import Gather, Gathered, moments_file
from isogloss.studies.shared.models import Checkpoint, Model, dtype_of, open_model

SAMPLED = 2_500  # sentences per language, kept for the probes: half of the 5,000 that are read without shards
SAMPLE_FILE = "sentences.parquet"


@dataclass(frozen=True)
class ShardRead:
    """What was read of a shard: the model's layers and width, and the tokens that count."""

    layers: tuple[str, ...]
    width: int
    tokens: int
    dtype: str = ""


@dataclass(frozen=True)
class ShardMoments(Cell[ShardRead]):
    """Moments of every token in the fitting half of a shard, and a sample of its other half."""

    name: ClassVar[str] = "shard-moments"
    record: ClassVar[type] = ShardRead
    model: Model = field(default_factory=lambda: Checkpoint(""))
    shard: Shard = field(default_factory=lambda: Shard("", "", 0))
    seed: int = 0
    device: str = "auto"
    dtype: str = "auto"

    def label(self) -> str:
        return f"{self.model.label()}: {Path(self.shard.file).name} from line {self.shard.line:,}, seed {self.seed}"

    def run(self, bench: Bench) -> ShardRead:
        encoder = open_model(self.model, bench, self.device, self.dtype)
        moments = [Moments() for _ in encoder.layers]
        sample, tokens = SentenceSample(), 0
        fitting = split(self.shard.read(), self.seed, sample)
        with Task("reading a shard", self.shard.sentences / 2) as task:
            for block in encoder.stream(fitting, level="token", layers="all"):
                there = block.values[~block.missing]
                for layer, one in enumerate(moments if len(there) else []):
                    one.update(there[:, layer], self.shard.language)
                tokens += len(there)
                task.advance(len(np.unique(block.sentence)))
        for layer, one in enumerate(moments):
            one.save(moments_file(bench.workspace, layer))
        sample.save(bench.workspace)
        return ShardRead(tuple(encoder.layers), encoder.width, tokens, dtype_of(encoder))


@dataclass(frozen=True)
class MergedMoments(Gather):
    """The moments of all shards, added up by language; then every language has the same say, however much text it has.

    What reads a ``Gather`` reads this: the sample of the other half takes the place of the text.
    """

    name: ClassVar[str] = "merged-moments"
    shards: tuple[ShardMoments, ...] = ()

    def label(self) -> str:
        return f"moments of {len(self.shards):,} shards, seed {self.seed}"

    def states_held(self, columns: int) -> int:
        return 0

    def run(self, bench: Bench) -> Gathered:
        first = bench.result(self.shards[0])
        by_language = {code: [one for one in self.shards if one.shard.language == code] for code in self.languages}
        counts = {code: sum(bench.result(one).tokens for one in parts) for code, parts in by_language.items()}
        self._require_tokens(counts)
        with Task("adding up shards", len(first.layers) * len(self.shards)) as task:
            for layer in range(len(first.layers)):
                whole = Moments()
                for parts in by_language.values():
                    whole += _added(parts, bench, layer, task).rescaled(self.tokens)
                whole.save(moments_file(bench.workspace, layer))
        for code, parts in by_language.items():
            sample = SentenceSample()
            for one in parts:
                sample.join(SentenceSample.load(bench.folder(one)))
            sample.save(bench.workspace / code)
        return Gathered(first.layers, first.width, counts, first.dtype)

    def _require_tokens(self, counts: Mapping[str, int]) -> None:
        for code, found in counts.items():
            if found < LEAST_TOKENS:
                raise IsoglossError(
                    f"{found} tokens in half of the text are too few",
                    where=f"language '{code}'",
                    remedy=f"give more text: {LEAST_TOKENS} tokens are the least",
                )

    def with_seed(self, seed: int) -> Self:
        return replace(self, seed=seed, shards=tuple(replace(one, seed=seed) for one in self.shards))

    def lines_to_probe(self, bench: Bench, language: str) -> Sequence[str]:
        return SentenceSample.load(bench.folder(self) / language).sentences


def _added(parts: Iterable[ShardMoments], bench: Bench, layer: int, task: Task) -> Moments:
    """One pass over several shards of a language, to rounding; one of them is in memory at a time."""

    def each() -> Iterator[Moments]:
        for one in parts:
            yield Moments.load(moments_file(bench.folder(one), layer))
            task.advance()

    return reduce(add, each(), Moments())


def split(lines: Iterable[str], seed: int, other: "SentenceSample") -> Iterator[str]:
    """Stream the fitting half of ``lines``; the rest goes into the sample ``other``."""
    for line in lines:
        rank = rank_of(line, seed)
        if rank % 2:
            other.add(rank, line)
        else:
            yield line


def rank_of(line: str, seed: int) -> int:
    """A number that only the sentence and the seed decide; its last bit says which half the sentence is in."""
    content = f"{seed}\0{line}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "big")


class SentenceSample:
    """The ``SAMPLED`` sentences of lowest rank among all that were added: random ones, in random order, each once."""

    def __init__(self) -> None:
        self._kept: dict[int, str] = {}

    def add(self, rank: int, line: str) -> None:
        self._kept[rank] = line
        if len(self._kept) >= 2 * SAMPLED:
            self._kept = dict(self._lowest())

    def join(self, other: "SentenceSample") -> None:
        for rank, line in other._lowest():
            self.add(rank, line)

    @property
    def sentences(self) -> list[str]:
        return [line for _, line in self._lowest()]

    def _lowest(self) -> list[tuple[int, str]]:
        return sorted(self._kept.items())[:SAMPLED]

    def save(self, folder: Path) -> None:
        ranks, lines = zip(*self._lowest(), strict=True) if self._kept else ((), ())
        frame = pd.DataFrame({"rank": np.array(ranks, np.uint64), "sentence": np.array(lines, object)})
        write_frame(folder / SAMPLE_FILE, frame)

    @classmethod
    def load(cls, folder: Path) -> "SentenceSample":
        found = cls()
        frame = pd.read_parquet(folder / SAMPLE_FILE)
        found._kept = dict(zip(frame["rank"].tolist(), frame["sentence"].tolist(), strict=True))
        return found


def plan_shards(base: Gather, shards: Mapping[str, Sequence[Shard]]) -> MergedMoments:
    """The cell that adds up ``shards`` in place of ``base``, which would read all of the text itself."""
    cells = tuple(
        ShardMoments(base.model, shard, base.seed, base.device, base.dtype)
        for parts in shards.values()
        for shard in parts
    )
    revisions = "".join(f"{one.shard.language} {one.shard.revision}\n" for one in cells)
    return MergedMoments(
        base.model, base.data, hashlib.sha256(revisions.encode()).hexdigest()[:16], tuple(shards), base.limit,
        base.tokens, base.seed, base.device, base.dtype, cells,
    )  # fmt: skip
