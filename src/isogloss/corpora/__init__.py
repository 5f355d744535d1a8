"""Data in, typed records out: files, folders, the hub or the lab."""

from isogloss.corpora.alignments import GoldAlignments
from isogloss.corpora.corpus import Corpus
from isogloss.corpora.load import (
    load_alignments,
    load_bitexts,
    load_corpus,
    load_dictionary,
    load_pairs,
    load_parallel,
    load_tagged,
    load_text,
    load_trees,
    load_vectors,
    load_wals,
)
from isogloss.corpora.records import (
    Dictionary,
    Pair,
    ParallelText,
    Sentence,
    TaggedSentence,
    Tree,
    WordAlignment,
)
from isogloss.corpora.vectors import WordVectors

__all__ = [
    "Corpus",
    "Dictionary",
    "GoldAlignments",
    "Pair",
    "ParallelText",
    "Sentence",
    "TaggedSentence",
    "Tree",
    "WordAlignment",
    "WordVectors",
    "load_alignments",
    "load_bitexts",
    "load_corpus",
    "load_dictionary",
    "load_pairs",
    "load_parallel",
    "load_tagged",
    "load_text",
    "load_trees",
    "load_vectors",
    "load_wals",
]
