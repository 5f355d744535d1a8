"""Dependency parsing: a tree with one root over the syntactic words, UAS and LAS."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from isogloss.corpora.records import Tree
from isogloss.tasks.attachments import AttachmentTally, strip_subtype
from isogloss.tasks.labels import PLACEHOLDERS, Labels
from isogloss.tasks.spanning_trees import are_trees
from isogloss.tasks.tallies import Tally
from isogloss.tasks.task import Reading, Task

if TYPE_CHECKING:
    from isogloss.tasks.biaffine import BiaffineParser


@dataclass(frozen=True)
class Parsing(Task[Tree]):
    """Deep biaffine parsing. Without ``subtypes`` relations are cut at the colon, in training and in scoring.

    A relation that training lacks counts as an error of the model: languages differ in their subtypes.
    """

    name: ClassVar[str] = "parsing"
    kind: ClassVar[str] = "trees"
    suffix: ClassVar[str] = ".conllu"
    subtypes: bool = False
    arc_width: int = 500  # Dozat and Manning 2017, table 1
    relation_width: int = 100

    @property
    def reading(self) -> Reading:
        return "words"

    @property
    def measure(self) -> str:
        return "las"

    def texts(self, record: Tree) -> Sequence[str]:
        return record.words

    def labels_of(self, record: Tree) -> Sequence[str]:
        return record.relations if self.subtypes else [strip_subtype(relation) for relation in record.relations]

    def targets(self, record: Tree, labels: Labels) -> NDArray[np.int64]:
        return np.stack([np.array(record.heads, dtype=np.int64), labels.encode(self.labels_of(record))], axis=1)

    def make_head(
        self, width: int, labels: Labels, dropout: float | None = None, spread: float = 0.02
    ) -> "BiaffineParser":
        from isogloss.tasks.biaffine import BiaffineParser

        root = labels.names.index("root") if "root" in labels else None
        rate = 0.33 if dropout is None else dropout
        return BiaffineParser(width, len(labels), root, self.arc_width, self.relation_width, rate)

    def answer(self, record: Tree, decoded: NDArray[np.int64], labels: Labels) -> Tree:
        heads, relations = np.maximum(decoded[:, 0], 0), decoded[:, 1]
        return replace(record, heads=tuple(map(int, heads)), relations=labels.decode(relations))

    def problem(self, record: Tree, labels: Labels | None) -> str | None:
        if not record.words:
            return "a sentence without words"
        if not len(record.words) == len(record.heads) == len(record.relations):
            return f"{len(record.words)} words, {len(record.heads)} heads, {len(record.relations)} relations"
        if hidden := next((relation for relation in record.relations if relation in PLACEHOLDERS), None):
            return f"the placeholder '{hidden}' instead of a relation"
        return _fault(record.heads)

    def tally(self, gold: Sequence[Tree], predicted: Sequence[Tree]) -> Tally:
        return AttachmentTally.count(gold, predicted, self.subtypes)

    def write(self, records: Sequence[Tree]) -> str:
        return "".join(_conllu_block(record) for record in records)


def _fault(heads: tuple[int, ...]) -> str | None:
    """What keeps ``heads`` from being a tree with one root."""
    if outside := [head for head in heads if not 0 <= head <= len(heads)]:
        return f"head {outside[0]} of a sentence of {len(heads)} words"
    if (roots := heads.count(0)) != 1:
        return f"a tree with {roots} roots"
    whole = are_trees(np.array([heads], dtype=np.int64), np.array([len(heads)]))[0]
    return None if whole else "a tree with a cycle"


def _conllu_block(tree: Tree) -> str:
    """A sentence with its multiword tokens; what a parser does not predict is kept from the record."""
    lines = [f"# sent_id = {tree.id}\n"] if tree.id else []
    spans = {first: (last, form) for first, last, form in tree.spans}
    for number, word in enumerate(tree.words, start=1):
        if number in spans:
            last, form = spans[number]
            lines.append(f"{number}-{last}\t{form}" + "\t_" * 8 + "\n")
        upos = tree.upos[number - 1] if tree.upos else "_"
        lines.append(
            f"{number}\t{word}\t_\t{upos}\t_\t_\t{tree.heads[number - 1]}\t{tree.relations[number - 1]}\t_\t_\n"
        )
    return "".join(lines) + "\n"
