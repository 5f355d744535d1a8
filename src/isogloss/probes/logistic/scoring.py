"""How good the answers are: accuracy, macro F1, and what always guessing the most frequent class would reach."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Score:
    """Scores on a problem's test rows; NaN where there are none."""

    accuracy: float
    macro_f1: float
    majority: float


def score(true: NDArray[np.int64], chosen: NDArray[np.int64], learnt: NDArray[np.int64], classes: int) -> Score:
    """``true`` (t) may hold -1 for a class unseen in training: any answer to it is wrong.

    Macro F1 is over the classes that are true or chosen somewhere, as scikit-learn has it. ``learnt`` are the
    training labels, whose most frequent one is the majority's guess.
    """
    if not len(true):
        return Score(np.nan, np.nan, np.nan)
    table = np.bincount((true % (classes + 1)) * (classes + 1) + chosen, minlength=(classes + 1) ** 2)
    table = table.reshape(classes + 1, classes + 1)  # the last row holds the unseen class: -1 modulo
    right, both = table.diagonal(), table.sum(axis=0) + table.sum(axis=1)
    seen = both > 0
    guess = int(np.bincount(learnt[learnt >= 0], minlength=classes).argmax())
    return Score(
        accuracy=float(right.sum() / len(true)),
        macro_f1=float((2 * right[seen] / both[seen]).mean()),
        majority=float(table[guess].sum() / len(true)),
    )
