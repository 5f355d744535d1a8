"""Word vectors in fastText's and word2vec's text format (``.vec``)."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isogloss.bounds import whole_number
from isogloss.corpora.lines import read_lines
from isogloss.errors import IsoglossError

BLOCK = 1024  # words that memory is taken for at a time
MOST_DIMENSIONS = 100_000


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
    blocks: list[NDArray[np.float32]] = []  # as they come: a first line may promise more than any memory holds
    twice = 0
    for line, text in lines:
        if len(places) == wanted:
            break
        # A word may itself hold blanks: the numbers are the last ``size`` fields.
        word, *numbers = text.rstrip().rsplit(" ", size)
        if len(numbers) != size or not word:
            raise IsoglossError(
                f"expected a word and {size} numbers",
                where=f"{path}:{line}",
                remedy="fetch the file again, or fix the line",
            )
        if word in places:
            twice += 1
            continue
        if len(places) % BLOCK == 0:
            blocks.append(np.empty((min(BLOCK, wanted - len(places)), size), dtype=np.float32))
        blocks[-1][len(places) % BLOCK] = _parse(numbers, f"{path}:{line}")
        places[word] = len(places)
    if len(places) + twice < wanted:
        raise IsoglossError(
            f"{len(places)} words, but the first line announces {count}",
            where=path,
            remedy="the file is cut or was edited: fetch it again",
        )
    if not places:
        raise IsoglossError("no words", where=path, remedy="give a fastText .vec file")
    vectors = np.concatenate(blocks)[: len(places)]
    return WordVectors(tuple(places), vectors, {"words that stand twice": twice} if twice else {})


def _sizes(header: str, path: Path) -> tuple[int, int]:
    sizes = [whole_number(field) for field in header.split(" ") if field]
    if len(sizes) != 2 or not sizes[0] or not sizes[1] or sizes[1] > MOST_DIMENSIONS:
        raise IsoglossError(
            "the first line is not '<words> <dimensions>'", where=f"{path}:1", remedy="give a fastText .vec file"
        )
    return sizes[0], sizes[1]


def _parse(numbers: list[str], where: str) -> NDArray[np.float32]:
    try:
        with np.errstate(over="ignore"):  # said below
            vector = np.array(numbers, dtype=np.float32)
    except ValueError:
        raise IsoglossError(
            "a field is not a number", where=where, remedy="fetch the file again, or fix the line"
        ) from None
    if not np.isfinite(vector).all():
        raise IsoglossError("a number is not finite", where=where, remedy="fetch the file again, or delete the line")
    return vector
