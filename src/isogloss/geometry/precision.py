"""Precision of retrieval, with several right answers; and MUSE's rules for dictionaries."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.geometry.arrays import Indices


def precision_at(
    indices: Indices, gold: Sequence[Collection[int]] | None = None, at: Sequence[int] = (1, 5, 10)
) -> dict[int, float]:
    """For each k in ``at`` the share of queries with a right answer among the first k.

    ``indices`` are answers, n x top, best first. ``gold`` holds the right answers of each query; None means
    that query i wants row i, as in parallel text.
    """
    found = np.asarray(indices)
    if found.ndim != 2 or max(at) > found.shape[1]:
        raise IsoglossError(
            f"answers of shape {found.shape} cannot give precision at {max(at)}", remedy="ask for more: top="
        )
    if gold is None:
        hits = found == np.arange(len(found))[:, None]
    else:
        if len(gold) != len(found):
            raise IsoglossError(f"{len(found)} queries, but right answers for {len(gold)}")
        hits = np.array([[answer in right for answer in row] for row, right in zip(found.tolist(), gold, strict=True)])
    if not len(found):
        raise IsoglossError("no queries: precision is not defined")
    first = np.where(hits.any(axis=1), hits.argmax(axis=1), found.shape[1])
    return {k: float((first < k).mean()) for k in at}


@dataclass(frozen=True)
class DictionaryQueries:
    """A dictionary as retrieval queries: rows of the source space, and for each the right rows of the target space."""

    rows: Indices
    gold: tuple[frozenset[int], ...]
    dropped: int  # entries with a word that has no vector

    def __len__(self) -> int:
        return len(self.gold)


def dictionary_queries(
    entries: Sequence[tuple[str, str]], source_words: Sequence[str], target_words: Sequence[str]
) -> DictionaryQueries:
    """MUSE's rules: an entry counts where both words have a vector; each source word is one query, right when
    any of its translations is found; answers are sought among all target words, and words are compared in lower
    case where only that form has a vector.
    """
    sources, targets = _places(source_words), _places(target_words)
    gold: dict[int, set[int]] = {}
    dropped = 0
    for source, target in entries:
        first, second = _find(source, sources), _find(target, targets)
        if first is None or second is None:
            dropped += 1
        else:
            gold.setdefault(first, set()).add(second)
    if not gold:
        raise IsoglossError(
            f"none of the {len(entries)} dictionary entries has vectors on both sides",
            remedy="check that the dictionary's columns are source and target, in this order",
        )
    return DictionaryQueries(np.array(list(gold), np.intp), tuple(frozenset(right) for right in gold.values()), dropped)


def _places(words: Sequence[str]) -> dict[str, int]:
    """The first place of each word."""
    return {word: place for place, word in reversed(list(enumerate(words)))}


def _find(word: str, places: dict[str, int]) -> int | None:
    return places.get(word, places.get(word.lower()))
