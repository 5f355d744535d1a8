"""Translations found again, sentence by sentence: the numbers that intervals over sentences rest on."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import IsoglossError
from isogloss.geometry.neighbours import unit_tensors

Floats = NDArray[np.float64]


def shares_found(vectors: Sequence[Any]) -> Floats:
    """Languages x n: of each sentence in each language, the share of other languages and directions in which it and
    its translation are nearest neighbours by cosine. ``vectors`` are n x d each, row i the same sentence in all.

    One product of two languages serves both directions.
    """
    if len(vectors) < 2:
        raise IsoglossError("one language has no translations", remedy="give two")
    rows = np.arange(len(vectors[0]))
    found = np.zeros((len(vectors), len(rows)))
    for first, second in combinations(range(len(vectors)), 2):
        one, other = unit_tensors(vectors[first], vectors[second])
        cosines = one @ other.T
        there = cosines.argmax(dim=1).numpy() == rows
        back = cosines.argmax(dim=0).numpy() == rows
        both = there.astype(np.float64) + back
        found[first] += both
        found[second] += both
    return np.asarray(found / (2 * (len(vectors) - 1)))


def languages_told(vectors: Sequence[Any], fitted: int) -> Floats:
    """Languages x (n - fitted): whether the nearest mean of a language, over the first ``fitted`` rows, is the
    sentence's own. ``vectors`` are n x d each; the means are of standardised dimensions."""
    seen = np.concatenate([np.asarray(rows[:fitted], dtype=np.float64) for rows in vectors])
    middle, spread = seen.mean(axis=0), seen.std(axis=0)
    scale = np.where(spread > 0, spread, 1)
    means = np.stack([(np.asarray(rows[:fitted], dtype=np.float64).mean(axis=0) - middle) / scale for rows in vectors])
    told = []
    for language, rows in enumerate(vectors):
        standard = (np.asarray(rows[fitted:], dtype=np.float64) - middle) / scale
        nearness = 2 * standard @ means.T - (means**2).sum(axis=1)  # the distance, but for the row's own length
        told.append(nearness.argmax(axis=1) == language)
    return np.stack(told).astype(np.float64)
