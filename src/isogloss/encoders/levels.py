"""Levels and poolings: which subwords make one row, and with what weight."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import IsoglossError, unknown_name

POOLINGS = {"sentence": ("mean", "cls", "last", "weighted", "own"), "word": ("mean", "first"), "token": ("mean",)}


class Piece(NamedTuple):
    """One input of the model: special tokens and subwords, and the rows of the block that are read off it."""

    ids: list[int]
    rows: list[int]
    spans: list[tuple[int, int]]  # for each row: the tokens [start, end) that it is pooled from


@dataclass(frozen=True, eq=False)
class Bags:
    """How the rows of one batch are summed out of its tokens (numbered through the batch, padding included)."""

    rows: NDArray[np.int64]  # rows
    tokens: NDArray[np.int64]  # all tokens of all rows
    starts: NDArray[np.int64]  # rows; where each row's tokens start
    weights: NDArray[np.float32]  # as tokens; they add up to 1 over a row


def check_pooling(level: str, pooling: str, *, has_cls: bool) -> None:
    """Refuse an unknown level or pooling, and CLS where a model has none that sees the sentence."""
    if level not in POOLINGS:
        raise unknown_name("level", level, POOLINGS, where="level")
    if pooling not in POOLINGS[level]:
        raise unknown_name(f"pooling of a {level}", pooling, POOLINGS[level], where="pooling")
    if pooling == "cls" and not has_cls:
        raise IsoglossError(
            "this model has no first token that sees the sentence (CLS)",
            where="pooling",
            remedy="pool by 'mean', or 'last' for a decoder",
        )


def fill_bags(pieces: Sequence[Piece], firsts: NDArray[np.int64], *, weighted: bool) -> Bags:
    """The bags of a batch; ``firsts`` are the numbers of the pieces' first tokens."""
    begin = np.array(
        [first + span[0] for first, piece in zip(firsts, pieces, strict=True) for span in piece.spans], dtype=np.int64
    )
    sizes = np.array([span[1] - span[0] for piece in pieces for span in piece.spans], dtype=np.int64)
    starts = np.cumsum(sizes) - sizes
    within = np.arange(sizes.sum()) - np.repeat(starts, sizes)  # 0, 1, ... over each row's tokens
    if weighted:  # SGPT: later tokens of a decoder have seen more
        weights = (within + 1) / np.repeat(sizes * (sizes + 1) / 2, sizes)
    else:
        weights = 1.0 / np.repeat(sizes, sizes)
    rows = np.array([row for piece in pieces for row in piece.rows], dtype=np.int64)
    return Bags(rows, np.repeat(begin, sizes) + within, starts, weights.astype(np.float32))
