"""Meanings said in one language, and every kind of record that can be read off them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

import numpy as np

from isogloss.corpora.lab.chance import TOTAL, Ints, Stream
from isogloss.corpora.lab.concepts import ENTITY_TYPES, UPOS
from isogloss.corpora.lab.grammar import RELATIONS, SLOTS
from isogloss.corpora.lab.language import Language
from isogloss.corpora.lab.lexicon import INFLECTIONS
from isogloss.corpora.lab.meanings import Meanings
from isogloss.corpora.lab.render import Sentences, arrange, attach
from isogloss.corpora.records import TaggedSentence, Tree

Item = TypeVar("Item")
_UPOS = np.array(UPOS, dtype=object)
_RELATIONS = np.array(RELATIONS, dtype=object)
_BIO = np.array(["O", *(f"{b}-{kind}" for b in "BI" for kind in ENTITY_TYPES[1:])], dtype=object)
_SECOND = np.array([name.endswith("2") for name in SLOTS])  # the second word of a name
_NAMEABLE = np.array([name.split(".")[-1] in {"head", "head2", "owner", "owner2"} for name in SLOTS])


@dataclass(frozen=True)
class Speech:
    """n meanings as sentences of one language."""

    meanings: Meanings
    language: Language
    sentences: Sentences

    def __len__(self) -> int:
        return len(self.meanings)

    @cached_property
    def cuts(self) -> list[int]:
        """Where each sentence's words begin among all words; n + 1 entries."""
        return [0, *np.cumsum(self.sentences.lengths).tolist()]

    @cached_property
    def form_numbers(self) -> Ints:
        """The number of every word's form, flat."""
        sentences = self.sentences
        return sentences.spoken(sentences.concept * INFLECTIONS + sentences.inflection)

    @cached_property
    def words(self) -> list[str]:
        """All words, flat."""
        return list(self.language.forms[self.form_numbers])

    def texts(self) -> list[str]:
        """A line per sentence, words and punctuation apart."""
        return _lines(self.words, self.cuts)

    def noisy_texts(self, noise: float, stream: Stream) -> list[str]:
        """The same with a share of the words (never the final stop) replaced by random words of the language."""
        concepts = self.language.concepts
        size = len(self.form_numbers)
        coins = stream.below(TOTAL, 2 * size).reshape(size, 2)
        other = coins[:, 0] * concepts.content // TOTAL * INFLECTIONS
        last = np.zeros(size, dtype=bool)
        last[np.array(self.cuts[1:]) - 1] = True
        numbers = np.where((coins[:, 1] < round(noise * TOTAL)) & ~last, other, self.form_numbers)
        return _lines(list(self.language.forms[numbers]), self.cuts)

    def trees(self, prefix: str, start: int = 0) -> list[Tree]:
        """Dependency trees with lemmas; ids are ``prefix`` and a running number from ``start``."""
        concept = self.sentences.spoken(self.sentences.concept)
        heads, relations = attach(self.sentences, self.meanings)
        lemmas = np.array(self.language.lexicon.lemmas, dtype=object)
        columns = [
            _cut(self.words, self.cuts),
            _cut(list(_UPOS[self.language.concepts.upos[concept]]), self.cuts),
            _cut(self.sentences.spoken(heads).tolist(), self.cuts),
            _cut(list(_RELATIONS[self.sentences.spoken(relations)]), self.cuts),
            _cut(list(lemmas[concept]), self.cuts),
            _cut(list(self.language.feats[self.form_numbers]), self.cuts),
        ]
        code = self.language.code
        return [
            Tree(words, upos, heads, relations, code, f"{prefix}-{number}", lemmas, feats, text=" ".join(words))
            for number, (words, upos, heads, relations, lemmas, feats) in enumerate(zip(*columns, strict=True), start)
        ]

    def entities(self, prefix: str, start: int = 0) -> list[TaggedSentence]:
        """Words with BIO tags of persons, places and organisations."""
        kind = self.language.concepts.entity[np.maximum(self.sentences.concept, 0)] * _NAMEABLE
        tag = kind + (len(ENTITY_TYPES) - 1) * (_SECOND & (kind > 0))
        tags = _cut(list(_BIO[self.sentences.spoken(tag)]), self.cuts)
        words = _cut(self.words, self.cuts)
        code = self.language.code
        return [
            TaggedSentence(words, tags, code, f"{prefix}-{number}")
            for number, (words, tags) in enumerate(zip(words, tags, strict=True), start)
        ]


def say(meanings: Meanings, language: Language, variant: Ints) -> Speech:
    """``meanings`` in a language, each in the order that its variant asks for."""
    sentences = arrange(meanings, language.concepts, language.grammar, language.orders, variant)
    return Speech(meanings, language, sentences)


def _lines(words: Sequence[str], cuts: Sequence[int]) -> list[str]:
    return [" ".join(words[a:b]) for a, b in pairwise(cuts)]


def _cut(values: Sequence[Item], cuts: Sequence[int]) -> list[tuple[Item, ...]]:
    return [tuple(values[a:b]) for a, b in pairwise(cuts)]
