"""From meanings to the sentences of a language: fill slots, order them, look the words up."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.corpora.lab.chance import Ints
from isogloss.corpora.lab.concepts import Concepts
from isogloss.corpora.lab.grammar import (
    BASE_RELATION,
    HEAD_SLOT,
    PASSIVE,
    RELATION,
    SLOT,
    SLOTS,
    Orders,
)
from isogloss.corpora.lab.knobs import LanguageConfig
from isogloss.corpora.lab.meanings import OBJECT, PLACE, QUALITY, RELATED, SUBJECT, TRANSITIVE, Meanings

NOMINATIVE, ACCUSATIVE, GENITIVE, LOCATIVE = range(4)
_ROLES = (("s", SUBJECT), ("o", OBJECT), ("p", PLACE))


@dataclass(frozen=True)
class Sentences:
    """Filled and ordered slots of n sentences. All arrays are n x slots.

    ``concept`` (-1: empty) and ``inflection`` stand in the order of slots; ``said`` gives the slot said
    first, second, ...; ``variant`` is the order chosen for each sentence.
    """

    concept: Ints
    inflection: Ints
    said: Ints
    variant: Ints

    @property
    def lengths(self) -> Ints:
        return np.asarray((self.concept >= 0).sum(axis=1))

    def spoken(self, values: Ints) -> Ints:
        """Flat values of all words, sentence after sentence, from an n x slots array in the order of slots."""
        there = np.take_along_axis(self.concept >= 0, self.said, axis=1)
        return np.take_along_axis(values, self.said, axis=1)[there]

    def positions(self) -> Ints:
        """The position of each slot's word in its sentence, from 1; 0 where the slot is empty."""
        there = np.take_along_axis(self.concept >= 0, self.said, axis=1)
        count = np.where(there, np.cumsum(there, axis=1), 0)
        position = np.zeros_like(self.concept)
        np.put_along_axis(position, self.said, count, axis=1)
        return position


def arrange(
    meanings: Meanings, concepts: Concepts, grammar: LanguageConfig, orders: Orders, variant: Ints
) -> Sentences:
    """Say ``meanings`` in a language, each in the order that ``variant`` asks for (its voice bit is set here)."""
    passive = meanings.passive.astype(bool)
    variant = np.where(passive, variant | PASSIVE, variant & ~PASSIVE)
    concept, inflection = _fill(meanings, concepts, grammar, passive)
    return Sentences(concept, inflection, orders.columns[variant], variant)


def _fill(
    meanings: Meanings, concepts: Concepts, grammar: LanguageConfig, passive: NDArray[np.bool_]
) -> tuple[Ints, Ints]:
    """The concept and inflection in every slot, n x slots each."""
    n = len(meanings)
    concept = np.full((n, len(SLOTS)), -1, dtype=np.int64)
    inflection = np.zeros((n, len(SLOTS)), dtype=np.int64)
    cases = {
        SUBJECT: np.where(passive, LOCATIVE, NOMINATIVE),
        OBJECT: np.where(passive, NOMINATIVE, ACCUSATIVE),
        PLACE: np.full(n, LOCATIVE),
    }
    for letter, role in _ROLES:
        _fill_phrase(concept, inflection, meanings, concepts, grammar, letter, role, cases[role])
    _fill_relative(concept, inflection, meanings, concepts, grammar)
    _fill_verbs(concept, inflection, meanings, concepts, grammar, passive)
    word = concepts.word
    concept[:, SLOT["p.adp"]] = meanings.adposition
    concept[:, SLOT["s.adp"]] = np.where(passive, word("by"), -1)
    if grammar.case == "particle":
        marked = (meanings.kind == TRANSITIVE) & ~passive
        concept[:, SLOT["o.case"]] = np.where(marked, word("accusative"), -1)
        concept[:, SLOT["r.case"]] = np.where(meanings.head[:, RELATED] >= 0, word("accusative"), -1)
    concept[:, SLOT["adverb"]] = meanings.adverb
    concept[:, SLOT["stop"]] = word("stop")
    return concept, inflection


def _fill_phrase(
    concept: Ints, inflection: Ints, meanings: Meanings, concepts: Concepts, grammar: LanguageConfig,
    letter: str, role: int, case: Ints,
) -> None:  # fmt: skip
    at = {name: SLOT[f"{letter}.{name}"] for name in ("art", "quant", "num", "adj", "of", "owner", "owner2")}
    head, head2 = SLOT[f"{letter}.head"], SLOT[f"{letter}.head2"]
    plural = meanings.plural[:, role]
    concept[:, head], concept[:, head2] = meanings.head[:, role], meanings.head2[:, role]
    concept[:, at["art"]] = _article(meanings, concepts, grammar, role)
    concept[:, at["quant"]] = meanings.quantifier[:, role]
    concept[:, at["num"]] = meanings.number[:, role]
    concept[:, at["adj"]] = meanings.adjective[:, role]
    concept[:, at["owner"]], concept[:, at["owner2"]] = meanings.owner[:, role], meanings.owner2[:, role]
    owned = meanings.owner[:, role] >= 0
    if grammar.case != "suffix":
        concept[:, at["of"]] = np.where(owned, concepts.word("of"), -1)
    # The last word of a name carries the ending of the whole.
    inflected = plural * 4 + case
    double = meanings.head2[:, role] >= 0
    inflection[:, head], inflection[:, head2] = np.where(double, 0, inflected), inflected
    inflection[:, at["adj"]] = inflected
    inflection[:, at["owner"]] = np.where(meanings.owner2[:, role] >= 0, 0, GENITIVE)
    inflection[:, at["owner2"]] = GENITIVE


def _article(meanings: Meanings, concepts: Concepts, grammar: LanguageConfig, role: int) -> Ints:
    if grammar.article == "none":
        return np.full(len(meanings), -1)
    head = meanings.head[:, role]
    definite = meanings.definite[:, role] == 1
    bare = (meanings.plural[:, role] == 0) & (meanings.quantifier[:, role] < 0)
    common = (head >= 0) & (concepts.entity[np.maximum(head, 0)] == 0)
    indefinite = common & ~definite & bare & (grammar.article == "both")
    return np.where(definite, concepts.word("the"), np.where(indefinite, concepts.word("a"), -1))


def _fill_relative(
    concept: Ints, inflection: Ints, meanings: Meanings, concepts: Concepts, grammar: LanguageConfig
) -> None:
    there = meanings.relative >= 0
    concept[:, SLOT["which"]] = np.where(there, concepts.word("which"), -1)
    concept[:, SLOT["r.verb"]] = meanings.relative
    inflection[:, SLOT["r.verb"]] = meanings.tense * 2 + meanings.plural[:, SUBJECT]
    concept[:, SLOT["r.art"]] = _article(meanings, concepts, grammar, RELATED)
    concept[:, SLOT["r.head"]] = meanings.head[:, RELATED]
    concept[:, SLOT["r.head2"]] = meanings.head2[:, RELATED]
    double = meanings.head2[:, RELATED] >= 0
    inflection[:, SLOT["r.head"]] = np.where(double, 0, ACCUSATIVE)
    inflection[:, SLOT["r.head2"]] = ACCUSATIVE


def _fill_verbs(
    concept: Ints, inflection: Ints, meanings: Meanings, concepts: Concepts, grammar: LanguageConfig,
    passive: NDArray[np.bool_],
) -> None:  # fmt: skip
    word = concepts.word
    concept[:, SLOT["verb"]] = meanings.verb
    concept[:, SLOT["not"]] = np.where(meanings.negated == 1, word("not"), -1)
    concept[:, SLOT["pass"]] = np.where(passive, word("passive"), -1)
    if grammar.tense == "particle":
        concept[:, SLOT["aux"]] = np.array([-1, word("past"), word("future")])[meanings.tense]
    concept[:, SLOT["pred"]] = meanings.predicate
    is_kind = meanings.predicate >= concepts.starts["class"]
    if grammar.article == "both":
        concept[:, SLOT["pred.art"]] = np.where(is_kind, word("a"), -1)
    concept[:, SLOT["also"]] = meanings.also
    concept[:, SLOT["cc"]] = np.where(meanings.also >= 0, word("and"), -1)
    subject = np.where(passive, meanings.plural[:, OBJECT], meanings.plural[:, SUBJECT])
    inflection[:, SLOT["verb"]] = inflection[:, SLOT["also"]] = meanings.tense * 2 + subject


def attach(sentences: Sentences, meanings: Meanings) -> tuple[Ints, Ints]:
    """The head's position (0: root) and the relation in every slot, n x slots each."""
    position = sentences.positions()
    n = len(meanings)
    copular = meanings.kind >= QUALITY
    root = np.where(copular, SLOT["pred"], SLOT["verb"])
    root_position = position[np.arange(n), root]
    heads = np.where(HEAD_SLOT < 0, root_position[:, None], position[:, HEAD_SLOT])
    heads[np.arange(n), root] = 0
    relations = np.tile(BASE_RELATION, (n, 1))
    passive = meanings.passive == 1
    relations[:, SLOT["s.head"]] = np.where(passive, RELATION["obl:agent"], RELATION["nsubj"])
    relations[:, SLOT["o.head"]] = np.where(passive, RELATION["nsubj:pass"], RELATION["obj"])
    relations[:, SLOT["p.head"]] = RELATION["obl"]
    relations[:, SLOT["verb"]] = np.where(copular, RELATION["cop"], RELATION["root"])
    relations[:, SLOT["pred"]] = RELATION["root"]
    return heads, relations
