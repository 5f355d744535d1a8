"""Data in, typed records out: files, folders, the hub or the lab."""

from isogloss.corpora.corpus import Corpus
from isogloss.corpora.load import load_bitexts, load_parallel
from isogloss.corpora.records import (
    Dictionary,
    Pair,
    ParallelText,
    Sentence,
    TaggedSentence,
    Tree,
    WordAlignment,
)

__all__ = [
    "Corpus",
    "Dictionary",
    "Pair",
    "ParallelText",
    "Sentence",
    "TaggedSentence",
    "Tree",
    "WordAlignment",
    "load_bitexts",
    "load_parallel",
]
