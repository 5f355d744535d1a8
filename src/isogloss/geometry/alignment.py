"""Procrustes and retrieval for many layers and pairs at once, a core a map."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.geometry.arrays import Matrix, as_pair, unit_rows
from isogloss.geometry.polar import directions_of_rows
from isogloss.geometry.procrustes import iterative_normalisation
from isogloss.geometry.threads import side_by_side


@dataclass(frozen=True)
class AlignmentTask:
    """Aligned rows to fit the map on, and aligned rows to try it on: n x d_x and n x d_y, m x d_x and m x d_y."""

    train_x: Any
    train_y: Any
    test_x: Any
    test_y: Any


@dataclass(frozen=True)
class AlignedRetrieval:
    """Precision at 1 of mapped test rows, both ways, by cosine."""

    forward: float
    backward: float
    n: int


def aligned_retrieval(
    tasks: Iterable[AlignmentTask], rounds: int = 0, workers: int | None = None
) -> list[AlignedRetrieval]:
    """For each task fit the orthogonal map on its training rows and retrieve its test rows (Wu20 Fig. 6).

    ``rounds`` > 0 applies iterative normalisation to each of the four sets first. Tasks run side by side, one
    thread each: a decomposition of a few hundred dimensions gains nothing from a second one.
    """
    return side_by_side(lambda task: _align(task, rounds), tasks, workers)


def _align(task: AlignmentTask, rounds: int) -> AlignedRetrieval:
    train_x, train_y = as_pair(task.train_x, task.train_y)
    test_x, test_y = as_pair(task.test_x, task.test_y)
    if rounds:
        train_x, train_y, test_x, test_y = (
            iterative_normalisation(rows, rounds) for rows in (train_x, train_y, test_x, test_y)
        )
    left, right = directions_of_rows(train_x.astype(np.float64), train_y.astype(np.float64))
    # Rows map by left @ right.T, so they have their lengths in the coordinates of left already.
    mapped = unit_rows(test_x @ left.astype(test_x.dtype))
    similarities: Matrix = mapped @ (unit_rows(test_y) @ right.astype(test_y.dtype)).T
    partners = np.arange(len(similarities))
    forward, backward = ((similarities.argmax(axis=axis) == partners).mean() for axis in (1, 0))
    return AlignedRetrieval(float(forward), float(backward), len(similarities))
