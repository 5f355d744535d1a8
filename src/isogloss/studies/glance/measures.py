"""Scores of a glance: retrieval both ways and unbiased CKA at every layer, with intervals."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from isogloss.corpora.lab import bag_of_tags_retrieval
from isogloss.corpora.records import Tree
from isogloss.geometry import cka_grid
from isogloss.geometry.neighbours import nearest
from isogloss.probes.statistics import wilson
from isogloss.studies.glance.cells import Score

States = NDArray[np.float32]


def score_layers(first: States, second: States, pool: str, part: str) -> Iterator[Score]:
    """Scores of two languages' sentence states, n x layers x d each."""
    for layer in range(first.shape[1]):
        pair = centre(first[:, layer]), centre(second[:, layer])
        share = wilson(found(*pair) + found(*reversed(pair)), 2 * len(first))
        yield Score(pool, part, layer, "retrieval", share.value, share.low, share.high, share.n)
        grid = cka_grid(pair, kind="unbiased", resamples=200)
        low, high = (np.nan, np.nan) if grid.low is None or grid.high is None else (grid.low[0, 1], grid.high[0, 1])
        yield Score(pool, part, layer, "cka", float(grid.values[0, 1]), float(low), float(high), grid.n)


def found(queries: States, answers: States) -> int:
    """How many rows of ``queries`` have their own translation as nearest row of ``answers``."""
    _, indices = nearest(queries, answers, top=1)
    return int((indices[:, 0] == np.arange(len(queries))).sum())


def centre(states: States) -> States:
    return np.asarray(states - states.mean(axis=0))


def score_tags(trees: Mapping[str, Sequence[Tree]], pool: str, part: str) -> Score:
    """Retrieval by bags of tags, the mean of both directions."""
    first, second = trees.values()
    value = (bag_of_tags_retrieval(first, second) + bag_of_tags_retrieval(second, first)) / 2
    n = len(first) + len(second)
    share = wilson(value * n, n)
    return Score(pool, part, None, "retrieval", share.value, share.low, share.high, share.n)
