"""What can be measured of a pair of languages without a label: alignment by layer, and the tokeniser's view of both."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isogloss.corpora.parallel_sentences import Sentences
from isogloss.encoders.subwords import Tokeniser
from isogloss.files import write_frame
from isogloss.geometry import cka
from isogloss.progress import track
from isogloss.runs import Bench, Cell
from isogloss.runs.cells import ADDED_LATER
from isogloss.studies.shared.models import Checkpoint, Model, dtype_of, open_model

if TYPE_CHECKING:
    from isogloss.encoders import Encoder

LAYERS, PAIRS, HITS = "layers.parquet", "pairs.parquet", "hits.parquet"
Floats = NDArray[np.float64]
Columns = Sequence[NDArray[np.float32]]  # every layer, n x d each, and a pipeline's output last


@dataclass(frozen=True)
class FeaturesRecord:
    """How many sentences and layers were read; the features are tables in the cell's folder."""

    sentences: int
    layers: int
    dtype: str = ""
    output: bool = False  # whether the tables' layer after the last is a pipeline's output


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
    deployed: bool = field(default=False, metadata=ADDED_LATER)  # with a prompt, pooling and output of the model's own

    def label(self) -> str:
        return f"features of {len(self.sentences.languages)} languages"

    def run(self, bench: Bench) -> FeaturesRecord:
        text = self.sentences.read()
        encoder = open_model(self.model, bench, self.device, self.dtype, pipeline=self.deployed)
        states = {
            code: encoder.encode_columns(list(text.texts[code]))
            for code in track(self.sentences.languages, "reading languages")
        }
        pairs = [(one, other) for one in self.sources for other in self.sentences.languages if one != other]
        hidden = {code: columns[: len(encoder.layers)] for code, columns in states.items()}
        write_frame(bench.workspace / LAYERS, measure_layers(states, pairs))
        write_frame(bench.workspace / PAIRS, measure_tokens(encoder, text.texts, pairs))
        write_frame(bench.workspace / HITS, measure_hits(hidden, pairs))
        output = encoder.output_width is not None
        return FeaturesRecord(len(text), len(encoder.layers), dtype_of(encoder), output=output)


def measure_layers(states: Mapping[str, Columns], pairs: list[tuple[str, str]]) -> pd.DataFrame:
    """source, target, layer: retrieval both ways (standardised dimensions), MEXA (raw), unbiased CKA."""
    from isogloss.geometry import retrieval_grid

    depth = len(next(iter(states.values())))
    rows = []
    for layer in track(range(depth), "comparing layers"):
        here = {code: np.ascontiguousarray(columns[layer]) for code, columns in states.items()}
        found = retrieval_grid([here], pairs, ("raw", "standardised"))
        mexa = {(one.source, one.target): one.mexa for one in found if one.variant == "raw"}
        for one in (one for one in found if one.variant == "standardised"):
            pair = (one.source, one.target)
            alike = _similarity(here[pair[0]], here[pair[1]])
            rows.append((*pair, layer, (one.forward + one.backward) / 2, mexa[pair], alike))
    return pd.DataFrame(rows, columns=["source", "target", "layer", "retrieval", "mexa", "cka"])


def _similarity(first: NDArray[np.float32], second: NDArray[np.float32]) -> float:
    """Unbiased CKA; not a number where all sentences have the same vector, as the first token has before any layer."""
    flat = any((rows == rows[0]).all() for rows in (first, second))
    return float("nan") if flat else float(cka(first, second, kind="unbiased"))


def measure_hits(states: Mapping[str, Columns], pairs: list[tuple[str, str]]) -> pd.DataFrame:
    """source, target, sentence: the share of layers at which the sentence and its translation find each other (MEXA),
    so that languages can be compared sentence by sentence."""
    rows = []
    for source, target in pairs:
        share = mutual_hits(states[source], states[target]).mean(axis=1)
        rows.append(pd.DataFrame({"source": source, "target": target, "sentence": range(len(share)), "value": share}))
    return pd.concat(rows, ignore_index=True)


def mutual_hits(first: Columns, second: Columns) -> NDArray[np.bool_]:
    """n x layers: whether row i of both (n x d each) has its largest cosine with the other's row i, both ways."""
    hits = np.zeros((len(first[0]), len(first)), dtype=bool)
    for layer, pair in enumerate(zip(first, second, strict=True)):
        one, other = (_unit(block.astype(np.float64)) for block in pair)
        cosines = one @ other.T
        own = cosines.diagonal().copy()
        np.fill_diagonal(cosines, -np.inf)
        hits[:, layer] = (own > cosines.max(axis=1)) & (own > cosines.max(axis=0))
    return hits


def measure_tokens(
    encoder: "Encoder", texts: dict[str, tuple[str, ...]] | object, pairs: list[tuple[str, str]]
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
