"""What is known by construction of two languages: which words translate each other, in lists and in sentences."""

from isogloss.corpora.lab.chance import Ints
from isogloss.corpora.lab.language import Language
from isogloss.corpora.lab.lexicon import INFLECTIONS
from isogloss.corpora.lab.speech import Speech
from isogloss.corpora.records import Dictionary, WordAlignment


def speaks(language: Language, concept: int) -> bool:
    """Has the language a word for this concept in its sentences? Some grammars use no articles or particles."""
    concepts, grammar = language.concepts, language.grammar
    needs = {
        "the": grammar.article != "none",
        "a": grammar.article == "both",
        "of": grammar.case != "suffix",
        "accusative": grammar.case == "particle",
        "past": grammar.tense == "particle",
        "future": grammar.tense == "particle",
        "stop": False,
    }
    return needs.get(concepts.glosses[concept], True)


def dictionary(a: Language, b: Language, forms: bool = False) -> Dictionary:
    """Word translations by lemma, frequent ones first within each category; with ``forms`` inflected words too."""
    concepts = [i for i in range(a.concepts.total) if speaks(a, i) and speaks(b, i)]
    inflections = range(INFLECTIONS) if forms else range(1)
    rows = [(str(a.lexicon.forms[i, k]), str(b.lexicon.forms[i, k])) for i in concepts for k in inflections]
    return Dictionary(a.code, b.code, tuple(dict.fromkeys(rows)))


def align(first: Speech, second: Speech) -> list[WordAlignment]:
    """Word alignments of the same meanings in two languages: two words in the same slot are linked."""
    links = _links(first.sentences.positions(), second.sentences.positions())
    return [
        WordAlignment(tuple(a.split()), tuple(b.split()), sure=frozenset(pairs), possible=frozenset(pairs))
        for a, b, pairs in zip(first.texts(), second.texts(), links, strict=True)
    ]


def _links(first: Ints, second: Ints) -> list[list[tuple[int, int]]]:
    """For each row the pairs of positions, from 0, of slots filled on both sides."""
    rows, slots = ((first > 0) & (second > 0)).nonzero()
    pairs: list[list[tuple[int, int]]] = [[] for _ in range(len(first))]
    ours, theirs = first[rows, slots] - 1, second[rows, slots] - 1
    for row, a, b in zip(rows.tolist(), ours.tolist(), theirs.tolist(), strict=True):
        pairs[row].append((a, b))
    return pairs
