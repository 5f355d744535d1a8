"""A language of the lab: its code, family, grammar and words."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from isogloss.corpora.lab.chance import Stream
from isogloss.corpora.lab.concepts import UPOS, Concepts
from isogloss.corpora.lab.grammar import Orders, compile_orders
from isogloss.corpora.lab.knobs import LabConfig, LanguageConfig
from isogloss.corpora.lab.lexicon import INFLECTIONS, Lexicon, build_lexicons, marked_features


@dataclass(frozen=True)
class Language:
    """``code`` is one of ISO 639's private ones (qaa ... qtz); ``name`` and ``family`` are words of its own sounds."""

    code: str
    name: str
    family: str
    grammar: LanguageConfig
    lexicon: Lexicon
    concepts: Concepts

    @cached_property
    def orders(self) -> Orders:
        return compile_orders(self.grammar)

    @cached_property
    def forms(self) -> NDArray[np.object_]:
        """All word forms in one row: the entry of a concept and an inflection is concept x inflections + inflection."""
        return self.lexicon.forms.ravel()

    @cached_property
    def feats(self) -> NDArray[np.object_]:
        """What each form marks, in the order of ``forms``; anchors are loans that mark nothing."""
        concepts, lexicon = self.concepts, self.lexicon
        concord = self.grammar.agreement == "full"
        by_tag = [marked_features(tag, lexicon.suffixes, concord) for tag in UPOS]
        rows = [by_tag[tag] for tag in concepts.upos.tolist()]
        rows[concepts.word("be")] = by_tag[UPOS.index("VERB")]
        for concept in lexicon.anchored:
            rows[concept] = ["_"] * INFLECTIONS
        return np.array(rows, dtype=object).ravel()

    def word(self, gloss: str) -> str:
        """The word for a concept, by its gloss: ``word("animal")``, ``word("noun-3")``, ``word("the")``."""
        return self.lexicon.lemmas[self.concepts.glosses.index(gloss)]


def code_of(index: int) -> str:
    """``0 -> qaa``, ``1 -> qab``, ``26 -> qba``."""
    return "q" + chr(ord("a") + index // 26) + chr(ord("a") + index % 26)


def build_languages(config: LabConfig, concepts: Concepts) -> tuple[Language, ...]:
    """All languages of a configuration."""
    taken: set[str] = set()
    lexicons = build_lexicons(config, concepts)
    stream = Stream(config.seed, "titles")
    families: dict[int, str] = {}
    languages = []
    for index, lexicon in enumerate(lexicons):
        number = config.family(index)
        if number not in families:
            families[number] = _title(lexicon, stream, taken) + "ic"
        name = _title(lexicon, stream, taken)
        grammar = config.language(index)
        languages.append(Language(code_of(index), name, families[number], grammar, lexicon, concepts))
    return tuple(languages)


def _title(lexicon: Lexicon, stream: Stream, taken: set[str]) -> str:
    """A name that nobody has yet, in Latin letters, made of a language's own sounds."""
    while (title := lexicon.phonology.word(stream, 2).capitalize()) in taken:
        pass
    taken.add(title)
    return title
