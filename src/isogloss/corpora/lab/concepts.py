"""The inventory of the world: every concept that a word may stand for, numbered once for all languages."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from isogloss.corpora.lab.chance import Ints

CLASSES = ("person", "animal", "plant", "food", "tool", "garment", "vehicle", "document")
ORGANISATION, PLACE = len(CLASSES), len(CLASSES) + 1
CLASS_NAMES = (*CLASSES, "organisation", "place")  # each is a word too: the hypernym of its class
FUNCTION = {
    "the": "DET", "a": "DET", "all": "DET", "some": "DET", "in": "ADP", "near": "ADP", "from": "ADP",
    "with": "ADP", "of": "ADP", "by": "ADP", "which": "PRON", "not": "PART", "be": "AUX", "and": "CCONJ",
    "accusative": "ADP", "passive": "AUX", "past": "AUX", "future": "AUX", "stop": "PUNCT",
}  # fmt: skip
OPEN = {  # content categories: UPOS, and how many of 220 content words they take
    "noun": ("NOUN", 80), "place": ("NOUN", 14), "transitive": ("VERB", 33), "intransitive": ("VERB", 17),
    "adjective": ("ADJ", 28), "adverb": ("ADV", 10), "given": ("PROPN", 9), "surname": ("PROPN", 5),
    "town": ("PROPN", 6), "townword": ("PROPN", 1), "firm": ("PROPN", 6), "firmword": ("PROPN", 3),
    "number": ("NUM", 8),
}  # fmt: skip
NAMES = ("given", "surname", "town", "townword", "firm", "firmword")
ENTITY_TYPES = ("", "PER", "LOC", "ORG")
_TYPE_OF = {"given": 1, "surname": 1, "town": 2, "townword": 2, "firm": 3, "firmword": 3}
UPOS = ("NOUN", "VERB", "ADJ", "ADV", "PROPN", "NUM", "DET", "ADP", "PRON", "PART", "AUX", "CCONJ", "PUNCT")


@dataclass(frozen=True)
class Concepts:
    """Concept numbers by category. Within a category the more frequent concept has the lower number."""

    lexicon: int

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many concepts each category has; content categories grow with the lexicon."""
        scaled = {name: max(2, round(share * self.lexicon / 220)) for name, (_, share) in OPEN.items()}
        scaled["noun"] = max(len(CLASSES), scaled["noun"])
        scaled["adjective"] += scaled["adjective"] % 2  # adjectives come in antonym pairs
        return scaled | {"class": len(CLASS_NAMES), "function": len(FUNCTION)}

    @cached_property
    def starts(self) -> dict[str, int]:
        ends = np.cumsum(list(self.counts.values()))
        return dict(zip(self.counts, (0, *ends[:-1].tolist()), strict=True))

    @cached_property
    def total(self) -> int:
        return sum(self.counts.values())

    @cached_property
    def content(self) -> int:
        """Content concepts come first: numbers below this one."""
        return self.starts["class"]

    def of(self, category: str) -> Ints:
        """The concept numbers of a category."""
        return np.arange(self.counts[category], dtype=np.int64) + self.starts[category]

    def word(self, function: str) -> int:
        """The number of a function word, by its gloss."""
        return self.starts["function"] + list(FUNCTION).index(function)

    @cached_property
    def upos(self) -> Ints:
        """The tag of every concept, as an index into ``UPOS``."""
        tags = [tag for category, (tag, _) in OPEN.items() for _ in range(self.counts[category])]
        tags += ["NOUN"] * len(CLASS_NAMES) + list(FUNCTION.values())
        return np.array([UPOS.index(tag) for tag in tags], dtype=np.int64)

    @cached_property
    def entity(self) -> Ints:
        """The entity type of every concept, as an index into ``ENTITY_TYPES``."""
        types = np.zeros(self.total, dtype=np.int64)
        for category, kind in _TYPE_OF.items():
            types[self.of(category)] = kind
        return types

    @cached_property
    def hypernym(self) -> Ints:
        """The class name of every noun, place and first word of a name; -1 elsewhere."""
        above = np.full(self.total, -1, dtype=np.int64)
        names = self.of("class")
        nouns = self.of("noun")
        above[nouns] = names[np.arange(len(nouns)) % len(CLASSES)]
        above[self.of("given")] = names[0]
        above[self.of("firm")] = names[ORGANISATION]
        for category in ("place", "town", "townword"):
            above[self.of(category)] = names[PLACE]
        return above

    @cached_property
    def glosses(self) -> tuple[str, ...]:
        """A readable name for every concept: ``noun-3``, ``the``, ``animal``."""
        open_class = [f"{category}-{i}" for category in OPEN for i in range(self.counts[category])]
        return (*open_class, *CLASS_NAMES, *FUNCTION)

    @cached_property
    def antonym(self) -> Ints:
        """The opposite of every adjective; -1 elsewhere."""
        other = np.full(self.total, -1, dtype=np.int64)
        adjectives = self.of("adjective")
        other[adjectives] = adjectives[np.arange(len(adjectives)) ^ 1]
        return other
