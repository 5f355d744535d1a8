"""Meanings: what sentences say before any language says it, as columns of concept numbers (-1: not said)."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Self

import numpy as np
from numpy.typing import NDArray

from isogloss.corpora.lab.chance import Ints
from isogloss.corpora.lab.concepts import Concepts

TRANSITIVE, INTRANSITIVE, QUALITY, KIND = range(4)  # sees a cat, sleeps, is big, is an animal
SUBJECT, OBJECT, PLACE, RELATED = range(4)  # the noun phrases; the last is inside a relative clause
PRESENT, PAST, FUTURE = range(3)
PARTS = ("train", "validation", "test")
PART_SHARES = (0.8, 0.1, 0.1)
_PART_OF_TENTH = np.array([0] * 8 + [1, 2], dtype=np.int64)


@dataclass(frozen=True)
class Meanings:
    """n meanings. Clause columns have n entries, phrase columns are n x 4: subject, object, place, related.

    The subject is who acts and the object who suffers, whatever the voice.
    """

    kind: Ints
    verb: Ints
    predicate: Ints
    adverb: Ints
    tense: Ints
    negated: Ints
    passive: Ints
    adposition: Ints
    also: Ints  # a second verb of the same subject: "... and sleeps"
    relative: Ints  # the verb of a relative clause on the subject
    head: Ints
    head2: Ints  # the second word of a name
    adjective: Ints
    number: Ints
    quantifier: Ints
    owner: Ints
    owner2: Ints
    plural: Ints
    definite: Ints

    def __len__(self) -> int:
        return len(self.kind)

    def take(self, rows: Ints | NDArray[np.bool_] | slice) -> Self:
        """The meanings of some rows, by number or by mask."""
        return type(self)(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})

    def copy(self) -> Self:
        """A copy whose columns may be written to."""
        return type(self)(**{field.name: getattr(self, field.name).copy() for field in fields(self)})

    def bags(self, concepts: Concepts) -> NDArray[np.uint64]:
        """A 64-bit name for each meaning's bag of content concepts, the same for role swaps and passives.

        What only some languages express (tense, number, articles, voice) does not enter, so that two
        meanings with different names are different sentences in every language.
        """
        table = np.concatenate([np.zeros(1, np.uint64), mix(np.arange(1, concepts.total + 1, dtype=np.uint64))])
        clause = np.stack([self.verb, self.predicate, self.adverb, self.adposition, self.also, self.relative], 1)
        phrases = [self.head, self.head2, self.adjective, self.number, self.quantifier, self.owner, self.owner2]
        said = np.concatenate([clause, *phrases], axis=1)
        negated = table[concepts.word("not") + 1] * self.negated.astype(np.uint64)
        return mix(table[said + 1].sum(axis=1, dtype=np.uint64) + negated)

    def parts(self, concepts: Concepts) -> Ints:
        """The part each meaning belongs to, an index into ``PARTS``, decided by its bag alone."""
        return _PART_OF_TENTH[(self.bags(concepts) % np.uint64(10)).astype(np.int64)]


def concatenate(pieces: Sequence[Meanings]) -> Meanings:
    """One column of meanings after the other."""
    return Meanings(
        **{field.name: np.concatenate([getattr(piece, field.name) for piece in pieces]) for field in fields(Meanings)}
    )


def mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scatter integers over 64 bits (the finaliser of SplitMix64)."""
    z = values + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
