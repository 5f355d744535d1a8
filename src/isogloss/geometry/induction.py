"""Dictionary induction: a map learnt from some word translations, tried on others (Wu20 Fig. 4, MUSE's protocol)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import IsoglossError
from isogloss.geometry.precision import dictionary_queries

Entries = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Vocabulary:
    """Words and their vectors, n x d."""

    words: Sequence[str]
    vectors: Any


@dataclass(frozen=True)
class Induced:
    """Which test words found a translation first, by CSLS and by plain cosine; what the map was learnt from."""

    by_csls: NDArray[np.bool_]
    by_cosine: NDArray[np.bool_]
    pairs: int  # the map was learnt from
    candidates: int  # target words to choose from


def induce(
    source: Vocabulary, target: Vocabulary, train: Entries, test: Entries, rounds: int = 10, k: int = 10
) -> Induced:
    """Normalise both vocabularies, learn the orthogonal map on ``train`` and translate the source words of ``test``.

    A test word is right where any of its translations comes first among all target words.
    """
    from isogloss.geometry.neighbours import csls, nearest
    from isogloss.geometry.procrustes import Procrustes, iterative_normalisation

    known, asked = (dictionary_queries(entries, source.words, target.words) for entries in (train, test))
    X, Y = (iterative_normalisation(one.vectors, rounds) for one in (source, target))
    rows = [(row, right) for row, answers in zip(known.rows, known.gold, strict=True) for right in sorted(answers)]
    if len(rows) < 2:
        raise IsoglossError("a single translation cannot make a map", where="dictionary", remedy="give more entries")
    left, right = (list(side) for side in zip(*rows, strict=True))
    queries = Procrustes().fit(X[left], Y[right]).transform(X)
    _, by_csls = csls(queries, Y, k=k, top=1)
    _, by_cosine = nearest(queries[asked.rows], Y, top=1)
    return Induced(
        _right(by_csls[asked.rows, 0], asked.gold), _right(by_cosine[:, 0], asked.gold), len(rows), len(target.words)
    )


def _right(answers: Any, gold: Sequence[frozenset[int]]) -> NDArray[np.bool_]:
    return np.array([answer in right for answer, right in zip(answers.tolist(), gold, strict=True)], dtype=bool)
