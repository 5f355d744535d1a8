"""A fine-tuned model: it predicts, scores and is saved."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from isogloss.tasks import Labels, Tally, Task
from isogloss.tasks.labels import UNKNOWN
from isogloss.transfer.batches import Split
from isogloss.transfer.epochs import Epoch
from isogloss.transfer.examples import Reader
from isogloss.transfer.method import Method
from isogloss.transfer.network import Network
from isogloss.transfer.reading_counts import ReadingCounts
from isogloss.transfer.settings import Settings

UNKNOWN_SUBWORD = "a text with an unknown subword"
EVALUATION_TOKENS = {"cpu": 2048, "cuda": 32768, "mps": 8192}  # in one batch


@dataclass(frozen=True)
class Predicted:
    """Records with predicted labels, and what was lost in reading them."""

    records: tuple[Any, ...]
    counts: ReadingCounts


@dataclass(frozen=True, eq=False)
class Fitted:
    """A network for a task, with all that made it."""

    model: str
    revision: str | None
    task: Task[Any]
    methods: tuple[Method, ...]
    settings: Settings
    labels: Labels
    reader: Reader
    network: Network
    whole: Any  # the transformers model that the network's encoder is, or is a part of
    history: tuple[Epoch, ...] = ()
    skipped: Counter[str] = field(default_factory=Counter)

    @property
    def device(self) -> torch.device:
        return next(self.network.parameters()).device

    def speaking(self, language: str) -> "Fitted":
        """The model for text in ``language``: itself, unless languages have parts of their own."""
        fitted = self
        for method in self.methods:
            fitted = method.speak(fitted, language)
        return fitted

    def known(self, records: Sequence[Any]) -> tuple[list[Any], Counter[str]]:
        """The records to use: all of them, or, if the settings say so, those without an unknown subword."""
        if not self.settings.drop_unknown:
            return list(records), Counter()
        kept = [record for record in records if self.reader.knows(self.task, record)]
        return kept, Counter({UNKNOWN_SUBWORD: len(records) - len(kept)})

    def predict(self, records: Sequence[Any]) -> Predicted:
        """The same records with predicted labels, in the same order."""
        accepted = [self.task.accept(record) for record in records]
        split, counts = self.lay_out(accepted)
        return Predicted(tuple(self.answer(accepted, split)), counts)

    def lay_out(self, records: Sequence[Any]) -> tuple[Split, ReadingCounts]:
        """Records as a split; kept by a caller who predicts several times, it keeps the states of frozen layers too."""
        examples = self.reader.read(self.task, records, self.labels)
        return Split(examples, self.reader.tokeniser.pad, self.device), examples.counts

    def answer(self, records: Sequence[Any], split: Split) -> list[Any]:
        """Predictions for the records that ``split`` was laid out from."""
        decoded: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)] * len(split)
        was_training = self.network.training
        self.network.eval()
        with torch.inference_mode():
            for places in split.in_order(EVALUATION_TOKENS.get(self.device.type, 2048)):
                batch = split.collate(places)
                answers = self.network.head.decode(self.network.scores(batch), batch.unit_mask)
                for place, answer in zip(places, answers, strict=True):
                    decoded[place] = answer
        self.network.train(was_training)
        return [
            self.task.answer(record, _filled(answer, len(self.task.labels_of(record))), self.labels)
            for record, answer in zip(records, decoded, strict=True)
        ]

    def tally(self, records: Sequence[Any]) -> Tally:
        """How well the records are predicted."""
        accepted = [self.task.accept(record) for record in records]
        return self.task.tally(accepted, self.predict(accepted).records)

    def evaluate(self, targets: Mapping[str, Sequence[Any]]) -> dict[str, Tally]:
        """How well each language is predicted."""
        return {language: self.speaking(language).tally(records) for language, records in targets.items()}


def _filled(decoded: NDArray[np.int64], units: int) -> NDArray[np.int64]:
    """Words that were cut off get no label (one that is never right)."""
    if len(decoded) == units:
        return decoded
    missing = np.full((units - len(decoded), decoded.shape[1]), UNKNOWN, dtype=np.int64)
    return np.concatenate([decoded, missing])
