"""What can be measured of a pair of languages without a label: alignment by layer, and the tokeniser's view of both."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isogloss.corpora.parallel_sentences import Sentences
from isogloss.encoders import Encoder
from isogloss.encoders.subwords import Tokeniser
from isogloss.files import whole_file
from isogloss.geometry import cka, retrieval_grid
from isogloss.progress import track
from isogloss.runs import Bench, Cell
from isogloss.studies.shared.models import Checkpoint, Model, dtype_of, open_model

LAYERS, PAIRS, HITS = "layers.parquet", "pairs.parquet", "hits.parquet"
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class FeaturesRecord:
    """How many sentences and layers were read; the features are tables in the cell's folder."""

    sentences: int
    layers: int
    dtype: str = ""


@dataclass(frozen=True)
class PairFeatures(Cell[FeaturesRecord]):
    """Alignment by layer and tokeniser features of each of ``sources`` with every language of the text."""

    name: ClassVar[str] = "pair-features"
    record: ClassVar[type] = FeaturesRecord
    model: Model = field(default_factory=lambda: Checkpoint(""))
    sentences: Sentences = field(default_factory=lambda: Sentences("", (), 0, ""))
    sources: tuple[str, ...] = ()
    device: str = "auto"
    dtype: str = "auto"

    def label(self) -> str:
        return f"features of {len(self.sentences.languages)} languages"

    def run(self, bench: Bench) -> FeaturesRecord:
        text = self.sentences.read()
        encoder = open_model(self.model, bench, self.device, self.dtype)
        states = {
            code: encoder.encode(list(text.texts[code]))
            for code in track(self.sentences.languages, "reading languages")
        }
        pairs = [(one, other) for one in self.sources for other in self.sentences.languages if one != other]
        tables = {
            LAYERS: measure_layers(states, pairs),
            PAIRS: measure_tokens(encoder, text.texts, pairs),
            HITS: measure_hits(states, pairs),
        }
        for name, frame in tables.items():
            with whole_file(bench.workspace / name) as part:
                frame.to_parquet(part, index=False)
        return FeaturesRecord(len(text), next(iter(states.values())).shape[1], dtype_of(encoder))


def read_table(folder: Path, name: str) -> pd.DataFrame:
    """One of the tables that a cell left."""
    return pd.read_parquet(folder / name)


def measure_layers(states: dict[str, NDArray[np.float32]], pairs: list[tuple[str, str]]) -> pd.DataFrame:
    """source, target, layer: retrieval both ways (standardised dimensions), MEXA (raw), unbiased CKA."""
    depth = next(iter(states.values())).shape[1]
    rows = []
    for layer in track(range(depth), "comparing layers"):
        here = {code: np.ascontiguousarray(block[:, layer]) for code, block in states.items()}
        found = retrieval_grid([here], pairs, ("raw", "standardised"))
        mexa = {(one.source, one.target): one.mexa for one in found if one.variant == "raw"}
        for one in (one for one in found if one.variant == "standardised"):
            pair = (one.source, one.target)
            alike = cka(here[pair[0]], here[pair[1]], kind="unbiased")
            rows.append((*pair, layer, (one.forward + one.backward) / 2, mexa[pair], float(alike)))
    return pd.DataFrame(rows, columns=["source", "target", "layer", "retrieval", "mexa", "cka"])


def measure_hits(states: dict[str, NDArray[np.float32]], pairs: list[tuple[str, str]]) -> pd.DataFrame:
    """source, target, sentence: the share of layers at which the sentence and its translation find each other (MEXA),
    so that languages can be compared sentence by sentence."""
    rows = []
    for source, target in pairs:
        share = mutual_hits(states[source], states[target]).mean(axis=1)
        rows.append(pd.DataFrame({"source": source, "target": target, "sentence": range(len(share)), "value": share}))
    return pd.concat(rows, ignore_index=True)


def mutual_hits(first: NDArray[np.float32], second: NDArray[np.float32]) -> NDArray[np.bool_]:
    """n x layers: whether row i of both (n x layers x d) has its largest cosine with the other's row i, both ways."""
    hits = np.zeros(first.shape[:2], dtype=bool)
    for layer in range(first.shape[1]):
        one, other = (_unit(block[:, layer].astype(np.float64)) for block in (first, second))
        cosines = one @ other.T
        own = cosines.diagonal().copy()
        np.fill_diagonal(cosines, -np.inf)
        hits[:, layer] = (own > cosines.max(axis=1)) & (own > cosines.max(axis=0))
    return hits


def measure_tokens(
    encoder: Encoder, texts: dict[str, tuple[str, ...]] | object, pairs: list[tuple[str, str]]
) -> pd.DataFrame:
    """source, target: subwords of the same sentences (log of the ratio), unknown subwords, overlap of running text."""
    tokeniser = Tokeniser(encoder.tokenizer)
    read = {
        code: [one.ids for one in tokeniser.read_sentences(list(texts[code]), 0)]  # type: ignore[index]
        for code in {code for pair in pairs for code in pair}
    }
    counts = {code: Counter(entry for row in rows for entry in row) for code, rows in read.items()}
    rows = []
    for source, target in pairs:
        mine, theirs = counts[source], counts[target]
        total = max(1, theirs.total())
        unknown = 0 if tokeniser.unknown is None else theirs[tokeniser.unknown]
        shared = sum(number for entry, number in theirs.items() if entry in mine and entry != tokeniser.unknown)
        rows.append((source, target, float(np.log(total / max(1, mine.total()))), unknown / total, shared / total))
    return pd.DataFrame(rows, columns=["source", "target", "fertility", "unknown", "overlap"])


def _unit(rows: Floats) -> Floats:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(norms, 1e-12), dtype=np.float64)
