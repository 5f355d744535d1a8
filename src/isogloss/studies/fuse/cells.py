"""The cells of a fusion study: fine-tunings, cosines of parallel sentences as each head sees them (Table VI), and the
sizes of the data (Table I)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isogloss.corpora.parallel_sentences import Sentences
from isogloss.corpora.records import ParallelText
from isogloss.files import write_frame
from isogloss.runs import Bench, Cell
from isogloss.transfer import Data, FineTune, TransferRecord

if TYPE_CHECKING:
    from isogloss.transfer import Fitted

COSINES_FILE = "cosines.parquet"  # in the folder of a fine-tuning


@dataclass(frozen=True)
class Fusing(FineTune):
    """A fine-tuning whose folder also has the cosines of parallel sentences, as the head sees them, and the gates."""

    name: ClassVar[str] = "fusing"
    version: ClassVar[int] = 2  # the gates are in its folder too
    sentences: Sentences | None = None

    def label(self) -> str:
        return f"{self.task} from {self.sources[0]}, {self.method}, seed {self.settings.seed}"

    def run(self, bench: Bench) -> TransferRecord:
        fitted = self.fit(bench)
        if self.sentences is not None:
            found = measure_cosines(fitted, self.sentences.read(), self.sources[0])
            write_frame(bench.workspace / COSINES_FILE, found)
        return self.evaluate(fitted, bench.workspace)


@dataclass(frozen=True)
class Sizes:
    """Numbers of records, in the order of the data."""

    train: tuple[int, ...]
    dev: tuple[int, ...]
    test: tuple[int, ...]


@dataclass(frozen=True)
class DataSizes(Cell[Sizes]):
    """How many records of a task's data are read, the same for all its fine-tunings."""

    name: ClassVar[str] = "data-sizes"
    record: ClassVar[type] = Sizes
    train: tuple[Data, ...] = ()
    dev: tuple[Data, ...] = ()
    test: tuple[Data, ...] = ()

    def label(self) -> str:
        return f"sizes of {self.train[0].name}"

    def run(self, bench: Bench) -> Sizes:
        return Sizes(*(tuple(len(data.read()) for data in part) for part in (self.train, self.dev, self.test)))


def measure_cosines(fitted: "Fitted", text: ParallelText, source: str) -> pd.DataFrame:
    """A row per target: the mean cosine of a sentence with its translation, and with all other sentences (``others``).

    The second is there because cosines of one model may all be high: only their difference says who is alike.
    ``opening`` is how far a fusion's gate opened to the lower layer on these sentences, 0 to 1.
    """
    from isogloss.geometry import cosine
    from isogloss.transfer.methods.modules.fusion import watch_gates

    home = sentence_vectors(fitted, text.texts[source])
    rows = []
    for target, lines in text.texts.items():
        if target != source:
            with watch_gates(fitted.network) as gate:
                values = cosine(home, sentence_vectors(fitted, lines))
            same, total = float(np.trace(values)), float(values.sum())
            n = len(values)
            rows.append((target, same / n, (total - same) / (n * (n - 1)), gate.value, n))
    return pd.DataFrame(rows, columns=["target", "cosine", "others", "opening", "n"])


def sentence_vectors(fitted: "Fitted", lines: Sequence[str]) -> NDArray[np.float32]:
    """The first token's state for tasks of sentence pairs, the mean of all subwords for tasks of words: n x d."""
    from isogloss.transfer.batches import Split
    from isogloss.transfer.identification import unit_states

    examples = fitted.reader.read_texts(list(lines), 0, fitted.task.reading)
    if len(examples) != len(lines):
        raise ValueError("a parallel sentence without a single subword")
    split = Split(examples, fitted.reader.tokeniser.pad, fitted.device)
    states, sentences = unit_states(fitted, split)
    sums = np.zeros((len(lines), states.shape[1]), dtype=np.float64)
    np.add.at(sums, sentences, states)
    return np.asarray(sums / np.bincount(sentences, minlength=len(lines))[:, None], dtype=np.float32)
