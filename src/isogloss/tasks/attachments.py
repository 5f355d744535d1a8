"""UAS and LAS with the conventions of the CoNLL 2018 shared task: every word counts, punctuation too."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Self

import numpy as np

from isogloss.corpora.records import Tree
from isogloss.errors import IsoglossError
from isogloss.tasks.tallies import Floats, Tally, divide


@dataclass(frozen=True, eq=False)
class AttachmentTally(Tally):
    """Columns: words, words with the right head, words with the right head and relation."""

    measures: ClassVar[tuple[str, ...]] = ("las", "uas")

    @classmethod
    def count(cls, gold: Sequence[Tree], predicted: Sequence[Tree], subtypes: bool = False) -> Self:
        """Tally trees; ``subtypes`` compares whole relations (``nsubj:pass``), otherwise what stands before the colon.

        Words are syntactic ones: a multiword token counts as its words, an empty node not at all.
        """
        rows = []
        for right, guess in zip(gold, predicted, strict=True):
            if len(right.heads) != len(guess.heads):
                raise IsoglossError("gold and predicted tree differ in length", where=f"{right.language} {right.id}")
            heads = [a == b for a, b in zip(right.heads, guess.heads, strict=True)]
            relations = zip(_names(right, subtypes), _names(guess, subtypes), strict=True)
            both = sum(same and a == b for same, (a, b) in zip(heads, relations, strict=True))
            rows.append((len(heads), sum(heads), both))
        return cls(np.array(rows, dtype=np.int64).reshape(-1, 3))

    def __add__(self, other: Self) -> Self:
        return type(self)(np.concatenate([self.counts, other.counts]))

    def ratios(self, sums: Floats) -> dict[str, Floats]:
        words, heads, both = np.moveaxis(sums, -1, 0)
        return {"las": divide(both, words), "uas": divide(heads, words)}


@lru_cache(maxsize=4096)  # treebanks have some dozens of relations
def strip_subtype(relation: str) -> str:
    """``nsubj:pass`` -> ``nsubj``."""
    return relation.partition(":")[0]


def _names(tree: Tree, subtypes: bool) -> Sequence[str]:
    return tree.relations if subtypes else [strip_subtype(relation) for relation in tree.relations]
