"""Habits of speech: how often a meaning has an adjective, a place, a relative clause. Hard pools are strict habits."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from isogloss.corpora.lab.chance import Choice, Ints, Stream
from isogloss.corpora.lab.meanings import (
    KIND,
    OBJECT,
    PLACE,
    QUALITY,
    RELATED,
    SUBJECT,
    TRANSITIVE,
    Meanings,
)
from isogloss.corpora.lab.world import Heads, World


@dataclass(frozen=True, slots=True)
class Habits:
    """Probabilities of what a meaning says; a template has only zeros and ones."""

    kinds: tuple[float, float, float, float] = (0.62, 0.2, 0.1, 0.08)
    tenses: tuple[float, float, float] = (0.4, 0.45, 0.15)
    adjectives: tuple[float, float, float] = (0.35, 0.4, 0.2)  # subject, object, place
    plural: float = 0.25
    number: float = 0.3  # of plural phrases
    quantifier: float = 0.08  # "all" or "some", on subjects
    definite: float = 0.65
    owner: float = 0.08
    place: float = 0.42
    companion: float = 0.2  # of places: "with a dog" instead
    adpositions: tuple[float, float, float] = (0.55, 0.25, 0.2)  # in, near, from
    adverb: float = 0.2
    negated: float = 0.08
    passive: float = 0.1
    relative: float = 0.1
    related: float = 0.5  # of relative clauses: with an object of their own
    also: float = 0.07
    names: bool = True  # may phrases be headed by names and class names?


NATURAL = Habits()
_STRICT = Habits(  # one way to say each thing: definite, singular, past, "in"
    tenses=(0, 1, 0), plural=0, quantifier=0, definite=1, owner=0, companion=0, adpositions=(1, 0, 0),
    negated=0, passive=0, related=1, also=0, names=False,
)  # fmt: skip
_DOES, _IS_BUSY = (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0)
HARD = (
    replace(_STRICT, kinds=_DOES, adjectives=(1, 1, 0), place=1, adverb=0, relative=0),
    replace(_STRICT, kinds=_DOES, adjectives=(1, 0, 0), place=1, adverb=1, relative=0),
    replace(_STRICT, kinds=_DOES, adjectives=(0, 1, 0), place=0, adverb=1, relative=1),
    replace(_STRICT, kinds=_DOES, adjectives=(0, 0, 1), place=1, adverb=0, relative=1),
    replace(_STRICT, kinds=_IS_BUSY, adjectives=(1, 0, 1), place=1, adverb=1, relative=1),
)


def draw(world: World, stream: Stream, size: int, habits: Habits = NATURAL, domain: int | None = None) -> Meanings:
    """``size`` meanings of a world; a mixture of its domains unless one is named."""
    concepts = world.concepts
    place = np.full(size, domain) if domain is not None else stream.below(world.config.domains, size)
    kind = Choice(np.array(habits.kinds)).draw_many(stream, size)
    verb = np.where(
        kind == TRANSITIVE,
        concepts.starts["transitive"] + world.transitive.draw(stream, place),
        concepts.starts["intransitive"] + world.intransitive.draw(stream, place),
    )
    verb = np.where(kind >= QUALITY, concepts.word("be"), verb)
    situation = world.situation(place, verb)
    drafts = _Drafts(world, stream, size, habits)
    subject = world.subject.draw(stream, situation)
    tautology = (kind == KIND) & (world.things.first[subject] >= concepts.content)  # "an animal is an animal"
    kind = np.where(tautology, QUALITY, kind)
    drafts.fill(SUBJECT, np.ones(size, dtype=bool), subject)
    drafts.fill(OBJECT, kind == TRANSITIVE, world.object.draw(stream, situation))
    adposition = drafts.fill_place(place, situation)
    relative = drafts.fill_relative(place)
    negated = stream.coin(habits.negated, size)
    passive = stream.coin(habits.passive, size) & (kind == TRANSITIVE)
    also = stream.coin(habits.also, size) & (kind < QUALITY) & ~passive
    adverb = stream.coin(habits.adverb, size) & (kind < QUALITY)
    return Meanings(
        kind=kind,
        verb=verb,
        predicate=drafts.predicate(kind, subject, negated),
        adverb=_maybe(adverb, concepts.starts["adverb"] + world.adverb.draw(stream, situation)),
        tense=Choice(np.array(habits.tenses)).draw_many(stream, size),
        negated=negated.astype(np.int64),
        passive=passive.astype(np.int64),
        adposition=adposition,
        also=_maybe(also, concepts.starts["intransitive"] + world.intransitive.draw(stream, place)),
        relative=relative,
        **drafts.columns,
    )


def plainly_headed(meanings: Meanings, world: World) -> NDArray[np.bool_]:
    """Which meanings have only common nouns as heads: no names, no class names."""
    concepts = world.concepts
    head = meanings.head
    fine = (head < concepts.content) & (concepts.entity[np.maximum(head, 0)] == 0)
    return np.asarray(np.all(fine | (head < 0), axis=1))


def _maybe(said: NDArray[np.bool_], concept: Ints) -> Ints:
    return np.where(said, concept, -1)


class _Drafts:
    """The phrase columns of meanings being drawn."""

    def __init__(self, world: World, stream: Stream, size: int, habits: Habits) -> None:
        self.world, self.stream, self.size, self.habits = world, stream, size, habits
        names = ("head", "head2", "adjective", "number", "quantifier", "owner", "owner2")
        self.columns: dict[str, Ints] = {name: np.full((size, 4), -1) for name in names}
        self.columns["plural"] = np.zeros((size, 4), dtype=np.int64)
        self.columns["definite"] = np.zeros((size, 4), dtype=np.int64)

    def fill(self, role: int, there: NDArray[np.bool_], index: Ints) -> None:
        """A full phrase headed by things ``index`` wherever it is ``there``."""
        world, stream, habits, column = self.world, self.stream, self.habits, self.columns
        concepts, things = world.concepts, world.things
        self._head(role, there, things, index)
        noun = there & (concepts.entity[things.first[index]] == 0)
        adjective = noun & stream.coin(habits.adjectives[role], self.size)
        drawn = concepts.starts["adjective"] + world.thing_adjective.draw(stream, index)
        column["adjective"][:, role] = _maybe(adjective, drawn)
        plural = noun & stream.coin(habits.plural, self.size)
        numbered = plural & stream.coin(habits.number, self.size)
        number = concepts.starts["number"] + stream.below(concepts.counts["number"], self.size)
        column["number"][:, role] = _maybe(numbered, number)
        quantified = noun & ~numbered & stream.coin(habits.quantifier if role == SUBJECT else 0.0, self.size)
        column["quantifier"][:, role] = _maybe(quantified, concepts.word("all") + stream.below(2, self.size))
        column["plural"][:, role] = plural | quantified
        definite = noun & ~quantified & stream.coin(habits.definite, self.size)
        column["definite"][:, role] = definite
        owned = noun & ~quantified & stream.coin(habits.owner, self.size)
        owner = world.owner.draw(stream, things.kind[index])
        column["owner"][:, role] = _maybe(owned, things.first[owner])
        column["owner2"][:, role] = _maybe(owned, things.second[owner])

    def fill_place(self, domain: Ints, situation: Ints) -> Ints:
        """Where it happens, or with whom; returns the adposition."""
        world, stream, habits = self.world, self.stream, self.habits
        concepts = world.concepts
        there = stream.coin(habits.place, self.size)
        company = there & stream.coin(habits.companion, self.size)
        where = world.location.draw(stream, situation)
        whom = world.companion.draw(stream, situation)
        self._head(PLACE, there & ~company, world.places, where)
        self._head(PLACE, company, world.things, whom)
        head = self.columns["head"][:, PLACE]
        noun = there & (concepts.entity[np.maximum(head, 0)] == 0)
        drawn = np.where(company, world.thing_adjective.draw(stream, whom), world.place_adjective.draw(stream, where))
        adjective = noun & stream.coin(habits.adjectives[PLACE], self.size)
        self.columns["adjective"][:, PLACE] = _maybe(adjective, concepts.starts["adjective"] + drawn)
        self.columns["definite"][:, PLACE] = noun & stream.coin(habits.definite, self.size)
        near = concepts.word("in") + Choice(np.array(habits.adpositions)).draw_many(stream, self.size)
        return np.where(company, concepts.word("with"), _maybe(there, near))

    def fill_relative(self, domain: Ints) -> Ints:
        """A relative clause on the subject, with or without an object; returns its verb."""
        world, stream, habits = self.world, self.stream, self.habits
        concepts = world.concepts
        noun = concepts.entity[self.columns["head"][:, SUBJECT]] == 0
        there = noun & (self.columns["quantifier"][:, SUBJECT] < 0) & stream.coin(habits.relative, self.size)
        related = there & stream.coin(habits.related, self.size)
        seen = concepts.starts["transitive"] + world.transitive.draw(stream, domain)
        verb = np.where(related, seen, concepts.starts["intransitive"] + world.intransitive.draw(stream, domain))
        index = world.object.draw(stream, world.situation(domain, seen))
        self._head(RELATED, related, world.things, index)
        noun = related & (concepts.entity[world.things.first[index]] == 0)
        self.columns["definite"][:, RELATED] = noun & stream.coin(habits.definite, self.size)
        return _maybe(there, verb)

    def predicate(self, kind: Ints, subject: Ints, negated: NDArray[np.bool_]) -> Ints:
        """What the subject of a copular clause is: a quality, its class, or (negated) another class."""
        world, stream = self.world, self.stream
        concepts = world.concepts
        names = concepts.of("class")
        other = (world.things.kind[subject] + 1 + stream.below(len(names) - 1, self.size)) % len(names)
        kinds = names[np.where(negated, other, world.things.kind[subject])]
        quality = concepts.starts["adjective"] + world.thing_adjective.draw(stream, subject)
        return np.where(kind == QUALITY, quality, _maybe(kind == KIND, kinds))

    def _head(self, role: int, there: NDArray[np.bool_], heads: Heads, index: Ints) -> None:
        self.columns["head"][there, role] = heads.first[index[there]]
        self.columns["head2"][there, role] = heads.second[index[there]]
