"""Edits of meanings whose effect on truth is known: more specific, more general, the opposite.

An edit says in which rows it can be made and makes it there. Every meaning is read with negation over the
whole sentence, and two sentences of a pair are about the same event.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from isogloss.corpora.lab.chance import Choice, Ints, Stream, zipf
from isogloss.corpora.lab.concepts import CLASSES
from isogloss.corpora.lab.meanings import OBJECT, PLACE, QUALITY, SUBJECT, TRANSITIVE, Meanings
from isogloss.corpora.lab.world import World

Mask: TypeAlias = NDArray[np.bool_]
Fits: TypeAlias = Callable[[Meanings], Mask]
Make: TypeAlias = Callable[[Meanings, Ints, Stream], None]


@dataclass(frozen=True)
class Edit:
    """One edit: ``fits`` tells the rows where it can be made, ``make`` writes it into the given rows."""

    name: str
    fits: Fits
    make: Make
    favour: int = 1  # how much it is preferred where several fit


class Edits:
    """The edits of a world, by what they do to truth."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.concepts = world.concepts
        self.thing_of = _index(world.things.first, world.things.second, self.concepts.total)
        self.place_of = _index(world.places.first, world.places.second, self.concepts.total)
        nouns = self.concepts.of("noun")
        members = self.concepts.hypernym[nouns][None, :] == self.concepts.of("class")[: len(CLASSES), None]
        self.members = Choice(members * zipf(len(nouns), world.config.zipf))
        self.specialise = self._specialising()
        self.generalise = self._generalising()
        self.oppose = (
            Edit("antonym", self._has_quality, self._swap_antonym),
            Edit("role swap", self._swappable, self._swap_roles),
        )
        self.swap_words = (
            Edit("role swap", self._swappable, self._swap_roles),
            Edit("adjective swap", self._two_adjectives, self._swap_adjectives),
        )

    def _specialising(self) -> tuple[Edit, ...]:
        return (
            *(Edit(f"add adjective {r}", self._lacks_adjective(r), self._add_adjective(r)) for r in range(3)),
            Edit("add adverb", lambda m: (m.adverb < 0) & (m.kind < QUALITY), self._add_adverb),
            Edit("add place", lambda m: m.adposition < 0, self._add_place),
            *(Edit(f"hyponym {r}", self._is_class(r), self._to_member(r), favour=4) for r in (SUBJECT, OBJECT)),
            Edit("some to all", self._quantified("some"), self._quantify("all"), favour=4),
        )  # fmt: skip

    def _generalising(self) -> tuple[Edit, ...]:
        return (
            *(Edit(f"drop adjective {r}", self._has_adjective(r), _drop_adjective(r), favour=4) for r in range(3)),
            Edit("drop adverb", lambda m: m.adverb >= 0, _drop_adverb, favour=4),
            Edit("drop place", lambda m: m.adposition >= 0, _drop_place, favour=4),
            *(Edit(f"hypernym {role}", self._has_class(role), self._to_class(role)) for role in range(3)),
            Edit("all to some", self._quantified("all"), self._quantify("some"), favour=4),
        )  # fmt: skip

    def _open(self, m: Meanings, role: int) -> Mask:
        """Phrases where a narrower description makes a narrower claim: all but those after "all"."""
        return np.asarray(m.quantifier[:, role] != self.concepts.word("all"))

    def _common(self, m: Meanings, role: int) -> Mask:
        head = m.head[:, role]
        return np.asarray((head >= 0) & (self.concepts.entity[np.maximum(head, 0)] == 0))

    def _lacks_adjective(self, role: int) -> Fits:
        return lambda m: self._open(m, role) & self._common(m, role) & (m.adjective[:, role] < 0)

    def _has_adjective(self, role: int) -> Fits:
        return lambda m: self._open(m, role) & (m.adjective[:, role] >= 0)

    def _is_class(self, role: int) -> Fits:
        return lambda m: self._open(m, role) & (m.head[:, role] >= self.concepts.starts["class"])

    def _has_class(self, role: int) -> Fits:
        def fits(m: Meanings) -> Mask:
            head = m.head[:, role]
            classed = (head >= 0) & (self.concepts.hypernym[np.maximum(head, 0)] >= 0)
            return self._open(m, role) & classed

        return fits

    def _quantified(self, word: str) -> Fits:
        return lambda m: m.quantifier[:, SUBJECT] == self.concepts.word(word)

    def _quantify(self, word: str) -> Make:
        def make(m: Meanings, rows: Ints, _: Stream) -> None:
            m.quantifier[rows, SUBJECT] = self.concepts.word(word)

        return make

    def _add_adjective(self, role: int) -> Make:
        def make(m: Meanings, rows: Ints, stream: Stream) -> None:
            head = m.head[rows, role]
            located = self.place_of[head] >= 0
            thing = self.world.thing_adjective.draw(stream, np.maximum(self.thing_of[head], 0))
            place = self.world.place_adjective.draw(stream, np.maximum(self.place_of[head], 0))
            m.adjective[rows, role] = self.concepts.starts["adjective"] + np.where(located, place, thing)

        return make

    def _add_adverb(self, m: Meanings, rows: Ints, stream: Stream) -> None:
        m.adverb[rows] = self.concepts.starts["adverb"] + self.world.adverb.draw(
            stream, self._situation(m, rows, stream)
        )

    def _add_place(self, m: Meanings, rows: Ints, stream: Stream) -> None:
        where = self.world.location.draw(stream, self._situation(m, rows, stream))
        m.head[rows, PLACE] = self.world.places.first[where]
        m.head2[rows, PLACE] = self.world.places.second[where]
        named = self.concepts.entity[m.head[rows, PLACE]] > 0
        m.definite[rows, PLACE] = ~named
        m.adposition[rows] = self.concepts.word("in") + stream.below(3, len(rows))

    def _situation(self, m: Meanings, rows: Ints, stream: Stream) -> Ints:
        return self.world.situation(stream.below(self.world.config.domains, len(rows)), m.verb[rows])

    def _to_member(self, role: int) -> Make:
        def make(m: Meanings, rows: Ints, stream: Stream) -> None:
            kind = m.head[rows, role] - self.concepts.starts["class"]
            m.head[rows, role] = self.concepts.of("noun")[self.members.draw(stream, kind)]

        return make

    def _to_class(self, role: int) -> Make:
        def make(m: Meanings, rows: Ints, _: Stream) -> None:
            m.head[rows, role] = self.concepts.hypernym[m.head[rows, role]]
            m.head2[rows, role] = -1

        return make

    def _has_quality(self, m: Meanings) -> Mask:
        attributes = (m.adjective[:, SUBJECT] >= 0) | (m.adjective[:, OBJECT] >= 0)
        return np.asarray((m.kind == QUALITY) | (attributes & self._open(m, SUBJECT)))

    def _swap_antonym(self, m: Meanings, rows: Ints, _: Stream) -> None:
        """Turn around what is predicated, otherwise the subject's adjective, otherwise the object's."""
        predicated = m.kind[rows] == QUALITY
        of_subject = ~predicated & (m.adjective[rows, SUBJECT] >= 0)
        of_object = ~predicated & ~of_subject
        first, second, third = rows[predicated], rows[of_subject], rows[of_object]
        antonym = self.concepts.antonym
        m.predicate[first] = antonym[m.predicate[first]]
        m.adjective[second, SUBJECT] = antonym[m.adjective[second, SUBJECT]]
        m.adjective[third, OBJECT] = antonym[m.adjective[third, OBJECT]]

    def _swappable(self, m: Meanings) -> Mask:
        """Two parties, neither of which is a kind of the other."""
        subject, other = m.head[:, SUBJECT], np.maximum(m.head[:, OBJECT], 0)
        above = self.concepts.hypernym
        unrelated = (subject != other) & (above[subject] != other) & (above[other] != subject)
        return np.asarray((m.kind == TRANSITIVE) & unrelated & (m.quantifier[:, SUBJECT] < 0))

    @staticmethod
    def _swap_roles(m: Meanings, rows: Ints, _: Stream) -> None:
        """The whole phrases change places, so that the words stay the same."""
        for column in (m.head, m.head2, m.adjective, m.number, m.owner, m.owner2, m.plural, m.definite):
            column[rows, SUBJECT], column[rows, OBJECT] = column[rows, OBJECT], column[rows, SUBJECT]

    @staticmethod
    def _two_adjectives(m: Meanings) -> Mask:
        first, second = m.adjective[:, SUBJECT], m.adjective[:, OBJECT]
        return np.asarray((first >= 0) & (second >= 0) & (first != second))

    @staticmethod
    def _swap_adjectives(m: Meanings, rows: Ints, _: Stream) -> None:
        column = m.adjective
        column[rows, SUBJECT], column[rows, OBJECT] = column[rows, OBJECT], column[rows, SUBJECT]


def possible(edits: Sequence[Edit], meanings: Meanings) -> Mask:
    """Which edits fit which rows, n x edits."""
    return np.stack([edit.fits(meanings) for edit in edits], axis=1)


def apply(edits: Sequence[Edit], meanings: Meanings, rows: Ints, stream: Stream, among: Mask | None = None) -> None:
    """Make one edit, drawn from those that fit (and are ``among`` the allowed), in each of ``rows``."""
    fits = possible(edits, meanings.take(rows))
    if among is not None:
        fits &= among[rows]
    tickets = np.array([edit.favour for edit in edits])
    lottery = stream.below(1 << 30, fits.size).reshape(fits.shape) * tickets
    winner = np.where(fits, lottery, -1).argmax(axis=1)
    for number, edit in enumerate(edits):
        edit.make(meanings, rows[(winner == number) & fits[:, number]], stream)


def _drop_adjective(role: int) -> Make:
    def make(m: Meanings, rows: Ints, _: Stream) -> None:
        m.adjective[rows, role] = -1

    return make


def _drop_adverb(m: Meanings, rows: Ints, _: Stream) -> None:
    m.adverb[rows] = -1


def _drop_place(m: Meanings, rows: Ints, _: Stream) -> None:
    for column in (m.head, m.head2, m.adjective):
        column[rows, PLACE] = -1
    m.definite[rows, PLACE] = 0
    m.adposition[rows] = -1


def _index(first: Ints, second: Ints, total: int) -> Ints:
    """Where a concept stands alone among heads; -1 where it does not."""
    where = np.full(total, -1, dtype=np.int64)
    alone = np.flatnonzero(second < 0)
    where[first[alone]] = alone
    return where
