"""Words with BIO tags: WikiANN and PAN-X in their layouts, CoNLL-2003 and its like."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from sys import intern

from isogloss.corpora.conllu import BROKEN, MEND, OnError
from isogloss.corpora.corpus import Tally
from isogloss.corpora.labels import refuse_hidden
from isogloss.corpora.lines import read_lines
from isogloss.corpora.records import TaggedSentence
from isogloss.errors import IsoglossError
from isogloss.languages import try_language

TAG = re.compile(r"O|[BIESLU]-\S+")
PLACEHOLDER = re.compile(r"_|-|-1|\?")
# BIOES and BILOU say where a span ends too; BIO does not need it.
SHORTER = {"S": "B", "U": "B", "E": "I", "L": "I"}
Row = tuple[str, str]


def read_tagged(path: Path, language: str, tally: Tally, on_error: OnError = "raise") -> Iterator[TaggedSentence]:
    """Stream tagged sentences: a word a line with its tag last, a blank line between sentences.

    Tags come as they are in the file (a stray ``I-`` is the task's business); BIOES and BILOU become BIO.
    """
    sentences = _sentences(path, language, tally, on_error)
    return refuse_hidden(sentences, lambda sentence: sentence.tags, path)


def _sentences(path: Path, language: str, tally: Tally, on_error: OnError) -> Iterator[TaggedSentence]:
    split: Callable[[str], Row] | None = None
    number, rows, broken = 0, list[Row](), False
    for line, text in _lines_and_end(path):
        if text and not text.isspace() and not text.startswith("-DOCSTART-"):
            try:
                split = split or _splitter(text)
                rows.append(split(text))
            except ValueError as error:
                if on_error == "raise":
                    raise IsoglossError(str(error), where=f"{path}:{line}", remedy=MEND) from None
                broken = True
        elif rows or broken:
            if broken:
                tally[BROKEN] += 1
            else:
                yield _sentence(rows, language, f"{path.stem}:{number}")
            number, rows, broken = number + 1, [], False


def _lines_and_end(path: Path) -> Iterator[tuple[int, str]]:
    yield from read_lines(path)
    yield 0, ""


def _splitter(sample: str) -> Callable[[str], Row]:
    """How to read this file's lines, judged by its first: tabs or spaces, an index in front or not."""
    separator = "\t" if "\t" in sample else " "
    fields = sample.split(separator)
    width, place = len(fields), int(len(fields) == 3 and fields[0] == "0")
    tags: dict[str, str] = {}

    def split(text: str) -> Row:
        parts = text.split(separator)
        if len(parts) != width:
            raise ValueError(f"{len(parts)} columns where the file has {width}")
        word, tag = parts[place], parts[-1]
        if not word or word.isspace():
            raise ValueError("an empty word")
        if tag not in tags:
            tags[tag] = _bio(tag.strip())
        return word, tags[tag]

    if width < 2:
        raise ValueError("one column where a word and a tag are due")
    return split


def _bio(tag: str) -> str:
    if not TAG.fullmatch(tag) and not PLACEHOLDER.fullmatch(tag):
        raise ValueError(f"'{tag}' is not a BIO tag")
    return intern(SHORTER.get(tag[0], tag[0]) + tag[1:])


def _sentence(rows: list[Row], language: str, name: str) -> TaggedSentence:
    words, tags = zip(*rows, strict=True)
    return TaggedSentence(_without_prefix(words, language), tags, language, name)


def _without_prefix(words: tuple[str, ...], language: str) -> tuple[str, ...]:
    """XTREME's raw files write ``en:London``: drop the code where every word has it."""
    code, colon, _ = words[0].partition(":")
    if not colon or not all(word.startswith(f"{code}:") and len(word) > len(code) + 1 for word in words):
        return words
    known = try_language(code, "wikipedia")
    if known is None or known.base != language.partition("-")[0]:
        return words
    return tuple(word[len(code) + 1 :] for word in words)
