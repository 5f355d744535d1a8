"""The world: which things there are, how often they are spoken of, and who does what to whom."""

from dataclasses import dataclass

import numpy as np

from isogloss.corpora.lab.chance import Choice, Floats, Ints, Stream, zipf
from isogloss.corpora.lab.concepts import CLASSES, ORGANISATION, PLACE, Concepts
from isogloss.corpora.lab.knobs import LabConfig

LIKED, UNLIKED, LIKES = 1.0, 0.06, 3  # a verb's role likes three classes of things
CLASS_NAME_SHARE = 0.08  # a class's name is used this often instead of one of its members
PERSON_MASS, FIRM_MASS, TOWN_MASS = 0.18, 0.08, 0.5  # frequency of named things, relative to common nouns


@dataclass(frozen=True)
class Heads:
    """What may head a noun phrase: its first and second word (-1: none), class, and plain frequency."""

    first: Ints
    second: Ints
    kind: Ints
    weight: Floats

    def __len__(self) -> int:
        return len(self.first)


class World:
    """Distributions of everything a sentence may say, fixed by the configuration's seed.

    ``things`` head subjects and objects, ``places`` head locations. A noun's probability given a verb
    and a role is Zipf x class preference x exp(selection x noise), times the domain's liking.
    """

    def __init__(self, config: LabConfig) -> None:
        self.config = config
        self.concepts = concepts = Concepts(config.lexicon)
        stream = Stream(config.seed, "world")
        self.things = _things(concepts, config.zipf, stream)
        self.places = _places(concepts, config.zipf, stream)
        self.verbs = np.concatenate([concepts.of("transitive"), concepts.of("intransitive")])
        self.situations = len(self.verbs) + 1  # the last one is being: copular clauses
        self._compile(stream)

    def situation(self, domain: Ints, verb: Ints) -> Ints:
        """The row of a verb (concept number; the copula's for being) in a domain, for the tables below."""
        index = np.where(verb == self.concepts.word("be"), len(self.verbs), verb - self.verbs[0])
        return domain * self.situations + index

    def _compile(self, stream: Stream) -> None:
        concepts, config, things, places = self.concepts, self.config, self.things, self.places
        self.transitive = Choice(self._verb_weights(len(concepts.of("transitive")), stream))
        self.intransitive = Choice(self._verb_weights(len(concepts.of("intransitive")), stream))
        self.subject = self._role(stream)
        self.object = self._role(stream)
        self.companion = self._role(stream)
        where = places.weight * np.exp(config.selection * stream.bell(self.situations, len(places)))
        self.location = Choice(np.tile(where, (config.domains, 1)))
        self.thing_adjective = self._modifier("adjective", len(things), stream)
        self.place_adjective = self._modifier("adjective", len(places), stream)
        self.adverb = self._modifier("adverb", self.situations * config.domains, stream)
        owners = things.weight * np.isin(things.kind, (0, ORGANISATION))
        self.owner = Choice(owners * np.exp(config.selection * stream.bell(len(CLASSES) + 2, len(things))))

    def _verb_weights(self, size: int, stream: Stream) -> Floats:
        home = stream.below(self.config.domains, size)
        return zipf(size, self.config.zipf) * self._liking(home)

    def _liking(self, home: Ints) -> Floats:
        """domains x n: how much a domain favours what is at home in it."""
        own = home[None, :] == np.arange(self.config.domains)[:, None]
        return np.where(own, self.config.domain_contrast if self.config.domains > 1 else 1.0, 1.0)

    def _role(self, stream: Stream) -> Choice:
        things, rows = self.things, self.situations
        likes = np.full((rows, len(CLASSES) + 2), UNLIKED)
        for row in range(rows):
            likes[row, stream.order(len(CLASSES))[:LIKES]] = LIKED
        likes[:, ORGANISATION] = likes[:, 0]  # firms act as persons do
        noise = np.exp(self.config.selection * stream.bell(rows, len(things)))
        fit = things.weight * likes[:, things.kind] * noise
        liking = self._liking(np.where(things.kind == ORGANISATION, 0, things.kind) % self.config.domains)
        return Choice((liking[:, None, :] * fit[None, :, :]).reshape(-1, len(things)))

    def _modifier(self, category: str, rows: int, stream: Stream) -> Choice:
        plain = zipf(self.concepts.counts[category], self.config.zipf)
        return Choice(plain * np.exp(self.config.selection * stream.bell(rows, len(plain))))


def _things(concepts: Concepts, exponent: float, stream: Stream) -> Heads:
    """Common nouns, class names, persons and firms."""
    nouns, names = concepts.of("noun"), concepts.of("class")[: len(CLASSES)]
    weight = zipf(len(nouns), exponent)
    mass = weight.sum()
    by_class = np.bincount(np.arange(len(nouns)) % len(CLASSES), weight, minlength=len(CLASSES))
    common = Heads(
        np.concatenate([nouns, names]),
        np.full(len(nouns) + len(names), -1),
        np.concatenate([np.arange(len(nouns)) % len(CLASSES), np.arange(len(CLASSES))]),
        np.concatenate([weight, CLASS_NAME_SHARE * by_class]),
    )
    persons = _named(concepts, "given", "surname", 0, PERSON_MASS * mass, exponent, stream)
    firms = _named(concepts, "firm", "firmword", ORGANISATION, FIRM_MASS * mass, exponent, stream)
    return _join(common, persons, firms)


def _places(concepts: Concepts, exponent: float, stream: Stream) -> Heads:
    """Common nouns of place, the word for place, and towns."""
    nouns, name = concepts.of("place"), concepts.of("class")[PLACE]
    weight = zipf(len(nouns), exponent)
    common = Heads(
        np.append(nouns, name),
        np.full(len(nouns) + 1, -1),
        np.full(len(nouns) + 1, PLACE),
        np.append(weight, CLASS_NAME_SHARE * weight.sum()),
    )
    return _join(common, _named(concepts, "town", "townword", PLACE, TOWN_MASS * weight.sum(), exponent, stream))


def _named(
    concepts: Concepts, first: str, second: str, kind: int, mass: float, exponent: float, stream: Stream
) -> Heads:
    """Named things: each first name alone, and once with a second word (a surname, ``Ltd``, ``Upper``)."""
    alone, more = concepts.of(first), concepts.of(second)
    partner = more[stream.below(len(more), len(alone))]
    weight = zipf(len(alone), exponent)
    weight = mass * np.concatenate([weight, 0.7 * weight]) / (1.7 * weight.sum())
    return Heads(
        np.concatenate([alone, alone]),
        np.concatenate([np.full(len(alone), -1), partner]),
        np.full(2 * len(alone), kind),
        weight,
    )


def _join(*parts: Heads) -> Heads:
    return Heads(
        np.concatenate([part.first for part in parts]),
        np.concatenate([part.second for part in parts]),
        np.concatenate([part.kind for part in parts]),
        np.concatenate([part.weight for part in parts]),
    )
