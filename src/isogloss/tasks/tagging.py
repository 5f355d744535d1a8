"""Tags of words: universal parts of speech, and named entities in BIO."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from isogloss.corpora.records import TaggedSentence, Tree
from isogloss.tasks.label_tally import LabelTally
from isogloss.tasks.labels import NO_LABEL, PLACEHOLDERS, Labels
from isogloss.tasks.spans import SpanTally, first_jump, repair_tags
from isogloss.tasks.tallies import Tally
from isogloss.tasks.task import Reading, Task

if TYPE_CHECKING:
    from isogloss.tasks.heads import Classifier

OPEN_CLASSES = ("ADJ", "ADV", "INTJ", "NOUN", "PROPN", "VERB")
CLOSED_CLASSES = ("ADP", "AUX", "CCONJ", "DET", "NUM", "PART", "PRON", "SCONJ")
UPOS = frozenset((*OPEN_CLASSES, *CLOSED_CLASSES, "PUNCT", "SYM", "X"))


@dataclass(frozen=True)
class Tagging(Task[TaggedSentence]):
    """A label for each word, from its first subword (of decoders: its last)."""

    kind: ClassVar[str] = "tagged"

    @property
    def reading(self) -> Reading:
        return "words"

    def texts(self, record: TaggedSentence) -> Sequence[str]:
        return record.words

    def labels_of(self, record: TaggedSentence) -> Sequence[str]:
        return record.tags

    def targets(self, record: TaggedSentence, labels: Labels) -> NDArray[np.int64]:
        return labels.encode(record.tags)[:, None]

    def make_head(self, width: int, labels: Labels, dropout: float | None = None, spread: float = 0.02) -> "Classifier":
        from isogloss.tasks.heads import Classifier

        return Classifier(width, len(labels), 0.1 if dropout is None else dropout, spread)

    def answer(self, record: TaggedSentence, decoded: NDArray[np.int64], labels: Labels) -> TaggedSentence:
        return replace(record, tags=labels.decode(decoded[:, 0]))

    def problem(self, record: TaggedSentence, labels: Labels | None) -> str | None:
        if not record.words:
            return "a sentence without words"
        if len(record.words) != len(record.tags):
            return f"{len(record.words)} words but {len(record.tags)} tags"
        hidden = next((tag for tag in record.tags if tag in PLACEHOLDERS), None)
        return None if hidden is None else f"the placeholder '{hidden}' instead of a tag"


@dataclass(frozen=True)
class PartsOfSpeech(Tagging):
    """UPOS tags. A tag of UD's that training lacks counts as an error of the model, any other as one of the data."""

    name: ClassVar[str] = "pos"
    suffix: ClassVar[str] = ".conllu"
    select_by: str = "accuracy"

    @property
    def measure(self) -> str:
        return self.select_by

    def accept(self, record: Any) -> TaggedSentence:
        if isinstance(record, Tree):
            return TaggedSentence(record.words, record.upos, record.language, record.id)
        return super().accept(record)

    def problem(self, record: TaggedSentence, labels: Labels | None) -> str | None:
        found = super().problem(record, labels)
        if found or labels is None:
            return found
        known = UPOS if UPOS.issuperset(labels.names) else labels
        strange = next((tag for tag in record.tags if tag not in known), None)
        return strange and f"tag '{strange}', which the training part lacks"

    def tally(self, gold: Sequence[TaggedSentence], predicted: Sequence[TaggedSentence]) -> Tally:
        return LabelTally.count([record.tags for record in gold], [record.tags for record in predicted])

    def write(self, records: Sequence[TaggedSentence]) -> str:
        return "".join(_conllu_block(record) for record in records)


@dataclass(frozen=True)
class NamedEntities(Tagging):
    """Entities in BIO, scored as spans; ``repair`` fixes predicted sequences by Wu20's rule before scoring.

    ``unseen="count"`` keeps gold entities whose type the training part lacks, and counts them as missed (Muller21's
    CoNLL-2003 has MISC, which WikiANN lacks); otherwise they are an error in the data.
    """

    name: ClassVar[str] = "ner"
    suffix: ClassVar[str] = ".tsv"
    repair: bool = False
    unseen: Literal["refuse", "count"] = "refuse"

    @property
    def measure(self) -> str:
        return "f1"

    def answer(self, record: TaggedSentence, decoded: NDArray[np.int64], labels: Labels) -> TaggedSentence:
        tags = tuple("O" if tag == NO_LABEL else tag for tag in labels.decode(decoded[:, 0]))
        return replace(record, tags=repair_tags(tags) if self.repair else tags)

    def problem(self, record: TaggedSentence, labels: Labels | None) -> str | None:
        if found := super().problem(record, labels):
            return found
        jump = first_jump(record.tags)
        if jump is not None:
            return f"tag '{record.tags[jump]}' of word {jump + 1} continues no entity of its type"
        if self.unseen == "count":
            return None
        types = {name.partition("-")[2] for name in labels.names} if labels else None
        strange = next((tag for tag in record.tags if types and tag.partition("-")[2] not in types), None)
        return strange and f"tag '{strange}', whose type the training part lacks"

    def tally(self, gold: Sequence[TaggedSentence], predicted: Sequence[TaggedSentence]) -> Tally:
        return SpanTally.count([record.tags for record in gold], [record.tags for record in predicted])

    def write(self, records: Sequence[TaggedSentence]) -> str:
        return "".join(
            "".join(f"{word}\t{tag}\n" for word, tag in zip(record.words, record.tags, strict=True)) + "\n"
            for record in records
        )


def _conllu_block(record: TaggedSentence) -> str:
    head = f"# sent_id = {record.id}\n" if record.id else ""
    lines = [
        f"{number}\t{word}\t_\t{tag}\t_\t_\t_\t_\t_\t_\n"
        for number, (word, tag) in enumerate(zip(record.words, record.tags, strict=True), start=1)
    ]
    return head + "".join(lines) + "\n"
