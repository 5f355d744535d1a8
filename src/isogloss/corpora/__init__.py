"""Data in, typed records out: files, folders, the hub or the lab."""

from isogloss.corpora.alignments import GoldAlignments
from isogloss.corpora.corpus import Corpus
from isogloss.corpora.frames import keep_frame
from isogloss.corpora.load import (
    load_alignments,
    load_bitexts,
    load_corpus,
    load_dictionary,
    load_own,
    load_pairs,
    load_parallel,
    load_paraphrases,
    load_tagged,
    load_text,
    load_trees,
    load_vectors,
    load_wals,
)
from isogloss.corpora.own_text import OwnText
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
    "OwnText",
    "Pair",
    "ParallelText",
    "Sentence",
    "TaggedSentence",
    "Tree",
    "WordAlignment",
    "WordVectors",
    "keep_frame",
    "load_alignments",
    "load_bitexts",
    "load_corpus",
    "load_dictionary",
    "load_own",
    "load_pairs",
    "load_parallel",
    "load_paraphrases",
    "load_tagged",
    "load_text",
    "load_trees",
    "load_vectors",
    "load_wals",
]
