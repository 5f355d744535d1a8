"""Text by language: read once, named by its content, and halved into a part to fit on and a part to probe."""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.corpora import load_parallel, load_text, load_trees
from isogloss.corpora.catalog import PARALLEL, TEXT, TREES, locate
from isogloss.corpora.detect import kind_of
from isogloss.corpora.labdata import is_lab
from isogloss.corpora.parallel_sentences import hash_sentences
from isogloss.corpora.remembering import remember
from isogloss.errors import IsoglossError

LEAST_SENTENCES = 8  # per language: fewer cannot be halved and split once more
LAB_PART = "test"  # the lab's encoders never read it


@dataclass(frozen=True)
class Texts:
    """Sentences by language, and a hash of them."""

    sentences: dict[str, tuple[str, ...]]
    revision: str

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(self.sentences)


@remember(4)
def read_texts(data: str, languages: tuple[str, ...], limit: int) -> Texts:
    """Plain text, the sides of parallel text, or the sentences of treebanks; at most ``limit`` lines per language."""
    read = _read(data, list(languages) or None, limit)
    found = {code: tuple(line for line in lines if line.strip()) for code, lines in read.items()}
    enough_languages(data, {code: len(lines) for code, lines in found.items()})
    return Texts(found, hash_sentences(found))


def enough_languages(data: str, sentences: Mapping[str, int]) -> tuple[str, ...]:
    """The languages, given how many sentences each has; fewer than two, or too few sentences, are an error."""
    if len(sentences) < 2:
        named = ", ".join(sentences) or "none"
        raise IsoglossError(
            f"one language only ({named}): nothing to tell apart", where=data, remedy="name two with --langs"
        )
    for code, number in sentences.items():
        if number < LEAST_SENTENCES:
            raise IsoglossError(
                f"{number} sentences in '{code}' are too few",
                where=data,
                remedy=f"give {LEAST_SENTENCES} or more, or leave the language out with --langs",
            )
    return tuple(sentences)


def _read(data: str, languages: list[str] | None, limit: int) -> dict[str, Sequence[str]]:
    kind = TEXT if is_lab(data) else kind_of(locate(data), (TEXT, PARALLEL, TREES))
    if kind == PARALLEL:
        return dict(load_parallel(data, languages, limit).texts)
    if kind == TREES:
        trees = load_trees(data, languages, limit=limit, on_error="skip")
        return {code: [tree.text or " ".join(tree.words) for tree in trees.read(code)] for code in trees.languages}
    text = load_text(data, languages, LAB_PART if is_lab(data) else None, limit)
    return {code: [sentence.text for sentence in text.read(code)] for code in text.languages}


def halve(lines: Sequence[str], language: str, seed: int) -> tuple[list[str], list[str]]:
    """The sentences in random order, cut in two: for fitting and for probing."""
    order = np.random.default_rng((seed, zlib.crc32(language.encode()))).permutation(len(lines))
    middle = len(lines) // 2
    return [lines[place] for place in order[:middle]], [lines[place] for place in order[middle:]]
