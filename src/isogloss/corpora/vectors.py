"""Word vectors in fastText's and word2vec's text format (``.vec``)."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isogloss.corpora.lines import read_lines
from isogloss.errors import IsoglossError


@dataclass(frozen=True)
class WordVectors:
    """Words, most frequent first, and their vectors (n x d, float32)."""

    words: tuple[str, ...]
    vectors: NDArray[np.float32]
    left_out: dict[str, int]


def read_vectors(path: Path, limit: int | None = None) -> WordVectors:
    """Read the first ``limit`` words of a ``.vec`` file; a word that stands twice is kept once."""
    lines = read_lines(path)
    _, header = next(lines)
    count, size = _sizes(header, path)
    wanted = count if limit is None else min(limit, count)
    places: dict[str, int] = {}
    vectors = np.empty((wanted, size), dtype=np.float32)
    twice = 0
    for line, text in lines:
        if len(places) == wanted:
            break
        # A word may itself hold blanks: the numbers are the last ``size`` fields.
        word, *numbers = text.rstrip().rsplit(" ", size)
        if len(numbers) != size or not word:
            raise IsoglossError(f"a word and {size} numbers are due", where=f"{path}:{line}")
        if word in places:
            twice += 1
            continue
        vectors[len(places)] = _parse(numbers, f"{path}:{line}")
        places[word] = len(places)
    if len(places) + twice < wanted:
        raise IsoglossError(f"{len(places)} words, but the first line promises {count}", where=path)
    return WordVectors(tuple(places), vectors[: len(places)], {"words that stand twice": twice} if twice else {})


def _sizes(header: str, path: Path) -> tuple[int, int]:
    fields = header.split()
    if len(fields) != 2 or not all(field.isdigit() for field in fields) or int(fields[1]) == 0:
        raise IsoglossError(
            "the first line is not '<words> <dimensions>'", where=f"{path}:1", remedy="give a fastText .vec file"
        )
    return int(fields[0]), int(fields[1])


def _parse(numbers: list[str], where: str) -> NDArray[np.float32]:
    try:
        vector = np.array(numbers, dtype=np.float32)
    except ValueError:
        raise IsoglossError("a field is no number", where=where) from None
    if not np.isfinite(vector).all():
        raise IsoglossError("a number is not finite", where=where)
    return vector
