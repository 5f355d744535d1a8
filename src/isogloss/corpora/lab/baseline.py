"""How far structure alone finds translations: retrieval by bags of UPOS tags."""

from collections.abc import Sequence

import numpy as np

from isogloss.corpora.lab.chance import Floats
from isogloss.corpora.lab.concepts import UPOS
from isogloss.corpora.records import Tree


def tag_bags(trees: Sequence[Tree]) -> Floats:
    """How often each UPOS tag occurs in each sentence, n x tags."""
    column = {tag: number for number, tag in enumerate(UPOS)}
    bags = np.zeros((len(trees), len(UPOS)))
    for row, tree in enumerate(trees):
        for tag in tree.upos:
            bags[row, column[tag]] += 1
    return bags


def bag_of_tags_retrieval(first: Sequence[Tree], second: Sequence[Tree]) -> float:
    """Share of ``first`` whose nearest bag of tags (cosine, centred by language) in ``second`` is its translation.

    Ties count by the chance of guessing right among them, so the figure is an expectation.
    """
    a, b = _unit(tag_bags(first)), _unit(tag_bags(second))
    scores = np.round(a @ b.T, 9)
    best = scores.max(axis=1, keepdims=True)
    tied = scores == best
    return float(np.mean(np.diag(tied) / tied.sum(axis=1)))


def _unit(bags: Floats) -> Floats:
    centred = bags - bags.mean(axis=0)
    norms = np.linalg.norm(centred, axis=1, keepdims=True)
    return np.asarray(centred / np.where(norms > 0, norms, 1.0))
