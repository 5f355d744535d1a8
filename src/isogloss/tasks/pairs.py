"""Pairs of texts with one label: natural language inference and paraphrases."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from isogloss.corpora.records import Pair
from isogloss.tasks.label_tally import LabelTally
from isogloss.tasks.labels import PLACEHOLDERS, Labels
from isogloss.tasks.tallies import Tally
from isogloss.tasks.task import Reading, Task

if TYPE_CHECKING:
    from isogloss.tasks.heads import Classifier


@dataclass(frozen=True)
class Pairs(Task[Pair]):
    """One label for two texts read together, from the first token's state or from the mean of all.

    ``pooler`` puts the model's pretrained pooler between the state and the softmax layer, as XTREME's BERT does. A
    model without one (XLM-R) gets a new one.
    """

    kind: ClassVar[str] = "pairs"
    suffix: ClassVar[str] = ".tsv"
    pooling: Reading = "first"
    select_by: str = "accuracy"
    pooler: bool = False

    @property
    def reading(self) -> Reading:
        return self.pooling

    @property
    def measure(self) -> str:
        return self.select_by

    def texts(self, record: Pair) -> Sequence[str]:
        return record.first, record.second

    def labels_of(self, record: Pair) -> Sequence[str]:
        return (record.label,)

    def targets(self, record: Pair, labels: Labels) -> NDArray[np.int64]:
        return labels.encode([record.label])[:, None]

    def make_head(self, width: int, labels: Labels, dropout: float | None = None, spread: float = 0.02) -> "Classifier":
        from isogloss.tasks.heads import Classifier, PooledClassifier

        kind = PooledClassifier if self.pooler else Classifier
        return kind(width, len(labels), 0.1 if dropout is None else dropout, spread)

    def answer(self, record: Pair, decoded: NDArray[np.int64], labels: Labels) -> Pair:
        return replace(record, label=labels.names[decoded[0, 0]])

    def problem(self, record: Pair, labels: Labels | None) -> str | None:
        if not record.first.strip() or not record.second.strip():
            return "an empty text"
        if record.label in PLACEHOLDERS:
            return f"the placeholder '{record.label}' instead of a label"
        return (
            f"label '{record.label}', which the training part lacks" if labels and record.label not in labels else None
        )

    def tally(self, gold: Sequence[Pair], predicted: Sequence[Pair]) -> Tally:
        return LabelTally.count([(record.label,) for record in gold], [(record.label,) for record in predicted])

    def write(self, records: Sequence[Pair]) -> str:
        return "".join(f"{record.first}\t{record.second}\t{record.label}\n" for record in records)


@dataclass(frozen=True)
class Inference(Pairs):
    """Natural language inference: entailment, neutral, contradiction."""

    name: ClassVar[str] = "nli"


@dataclass(frozen=True)
class Paraphrase(Pairs):
    """Whether two sentences say the same."""

    name: ClassVar[str] = "paraphrase"
