"""Aligned words in context, and the maps that they give, layer by layer (Wu20 §5.1.2)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from isogloss.corpora import WordAlignment, load_alignments
from isogloss.corpora.word_aligner import align_words, find_aligner
from isogloss.corpora.words import split_words
from isogloss.digests import require_revision
from isogloss.errors import IsoglossError
from isogloss.files import whole_file, write_whole
from isogloss.progress import Task
from isogloss.runs import Bench, Cell
from isogloss.studies.align.cells.inputs import Bitext
from isogloss.studies.align.cells.sentences import pair_layers
from isogloss.studies.shared.models import Checkpoint, open_model

if TYPE_CHECKING:
    from isogloss.encoders import Encoder

LINKS, MAPS = "links.json", "maps.safetensors"
LEAST = 20  # linked words


@dataclass(frozen=True)
class LinkRecord:
    """How many sentences have how many links, and who linked them."""

    sentences: int
    links: int
    by: str


@dataclass(frozen=True)
class WordLinks(Cell[LinkRecord]):
    """Which word stands for which: gold, or found by an aligner in ``sentences``."""

    name: ClassVar[str] = "align-links"
    record: ClassVar[type] = LinkRecord
    source: str = ""
    target: str = ""
    gold: str = ""
    revision: str = ""  # of the gold alignments
    sentences: Bitext | None = None
    aligner: str = "auto"
    limit: int = 1_000

    @property
    def data(self) -> str:
        return self.gold

    def describe(self) -> str:
        return f"{self.gold} words of {self.source}-{self.target}"

    def label(self) -> str:
        return f"aligned words of {self.source} and {self.target}"

    def run(self, bench: Bench) -> LinkRecord:
        by, rows = ("gold", self._gold()) if self.sentences is None else self._find(self.sentences)
        links = sum(len(row.sure) for row in rows)
        if links < LEAST:
            raise IsoglossError(
                f"{links} linked words in {len(rows)} sentences are too few for a map",
                where=self.gold or (self.sentences.data if self.sentences else ""),
                remedy="give more sentences, or other alignments",
            )
        write_whole(bench.workspace / LINKS, msgspec.json.encode(rows))
        return LinkRecord(len(rows), links, by)

    def _gold(self) -> list[WordAlignment]:
        gold = load_alignments(self.gold, self.source, self.target, self.limit)
        require_revision(gold.revision, self.revision, self.gold)
        return list(gold.rows)

    def _find(self, sentences: Bitext) -> tuple[str, list[WordAlignment]]:
        text = sentences.read()
        first, second = ([split_words(row) for row in text.texts[code]] for code in sentences.languages)
        return find_aligner(self.aligner), align_words(first, second, self.aligner)


def read_links(folder: Path) -> list[WordAlignment]:
    return msgspec.json.decode((folder / LINKS).read_bytes(), type=list[WordAlignment])


@dataclass(frozen=True)
class BridgeRecord:
    """From how many pairs of words the maps were learnt; the maps are in the cell's folder."""

    pairs: int
    source_layers: int
    target_layers: int


@dataclass(frozen=True)
class Bridges(Cell[BridgeRecord]):
    """For every layer the map from the target encoder's words into the source's."""

    name: ClassVar[str] = "align-bridges"
    record: ClassVar[type] = BridgeRecord
    source_model: Any = field(default_factory=lambda: Checkpoint(""))
    target_model: Any = field(default_factory=lambda: Checkpoint(""))
    links: WordLinks = field(default_factory=WordLinks)
    rounds: int = 10
    device: str = "auto"

    def label(self) -> str:
        return f"maps from {self.links.target} to {self.links.source}"

    def run(self, bench: Bench) -> BridgeRecord:
        from isogloss.geometry import SpaceMap

        rows = read_links(bench.folder(self.links))
        models = (self.source_model, self.target_model)
        source, target = (open_model(model, bench, self.device, "float32") for model in models)
        home, away = linked_states(source, target, rows)
        pairs = pair_layers(home.shape[1] - 1, away.shape[1] - 1)
        tensors: dict[str, NDArray[Any]] = {}
        with Task("learning maps", total=len(pairs)) as task:
            for layer, other in pairs:
                found = SpaceMap(self.rounds).fit(away[:, other], home[:, layer])
                tensors |= {f"{layer}.matrix": found.matrix_, f"{layer}.offset": found.offset_}
                task.advance()
        with whole_file(bench.workspace / MAPS) as part:
            save_file({name: np.ascontiguousarray(one, dtype=np.float64) for name, one in tensors.items()}, part)
        return BridgeRecord(len(home), home.shape[1], away.shape[1])


def linked_states(
    source: "Encoder", target: "Encoder", rows: Sequence[WordAlignment]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """States of linked words, links x layers x d of either encoder; a word without a subword takes part in no link."""
    sides = ([list(row.first) for row in rows], [list(row.second) for row in rows])
    blocks = [encoder.encode(side, level="word") for encoder, side in zip((source, target), sides, strict=True)]
    starts = [np.cumsum([0, *map(len, side)]) for side in sides]
    links = [
        (starts[0][number] + first, starts[1][number] + second)
        for number, row in enumerate(rows)
        for first, second in sorted(row.sure)
    ]
    left, right = (np.array(side, dtype=np.int64) for side in zip(*links, strict=True))
    kept = ~blocks[0].missing[left] & ~blocks[1].missing[right]
    return blocks[0].values[left[kept]], blocks[1].values[right[kept]]


def read_map(folder: Path, layer: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The matrix (d_target x d_source) and the offset of a layer's map."""
    tensors = load_file(folder / MAPS)
    return tensors[f"{layer}.matrix"], tensors[f"{layer}.offset"]
