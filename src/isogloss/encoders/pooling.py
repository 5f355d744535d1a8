"""The poolings of sentence-transformers: over all tokens, special ones and (unless told otherwise) the prompt's too."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import embedding_bag

from isogloss.encoders.levels import Bags, Piece

LEGACY_MODES = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
MODES = tuple(LEGACY_MODES.values())


@dataclass(frozen=True, eq=False)
class Pooler:
    """Poolings side by side; the first ``skip`` tokens (a prompt that is not to be pooled) are left out."""

    modes: tuple[str, ...]
    skip: int = 0
    token_weights: NDArray[np.float32] | None = None  # by token number; of the mean only

    def bags(self, pieces: Sequence[Piece], firsts: NDArray[np.int64]) -> tuple[Bags, ...]:
        """For each mode the tokens and weights of each row of a batch; ``firsts``: the pieces' first tokens."""
        return tuple(self._bag(mode, pieces, firsts) for mode in self.modes)

    def _bag(self, mode: str, pieces: Sequence[Piece], firsts: NDArray[np.int64]) -> Bags:
        lengths = np.array([len(piece.ids) for piece in pieces])
        first = np.minimum(self.skip, lengths - 1)  # a text cut down to its prompt keeps its last token
        begin, end = (lengths - 1, lengths) if mode == "lasttoken" else (first, first + 1 if mode == "cls" else lengths)
        sizes = end - begin
        starts = np.cumsum(sizes) - sizes
        within = np.arange(sizes.sum()) - np.repeat(starts, sizes)
        position = np.repeat(begin, sizes) + within
        tokens = np.repeat(firsts, sizes) + position
        weights = self._weights(mode, pieces, position, sizes, starts)
        rows = np.array([piece.rows[0] for piece in pieces], dtype=np.int64)
        return Bags(rows, tokens.astype(np.int64), starts.astype(np.int64), weights.astype(np.float32))

    def _weights(
        self,
        mode: str,
        pieces: Sequence[Piece],
        position: NDArray[np.int64],
        sizes: NDArray[np.int64],
        starts: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        if mode == "weightedmean":
            counted = (position + 1).astype(np.float64)
            return np.asarray(counted / np.repeat(np.add.reduceat(counted, starts), sizes))
        if mode == "mean" and self.token_weights is not None:
            each = [self.token_weights[np.asarray(piece.ids)] for piece in pieces]
            pooled = np.concatenate([one[-size:] for one, size in zip(each, sizes, strict=True)])
            return np.asarray(pooled / np.repeat([max(one.sum(), 1e-9) for one in each], sizes))
        power = {"mean": 1.0, "mean_sqrt_len_tokens": 0.5}.get(mode, 0.0)
        return np.asarray(1.0 / np.repeat(sizes, sizes) ** power)


class Pool:
    """The pooling of one batch on its device: every layer's states go through the same bags."""

    def __init__(self, bags: Sequence[Bags], modes: Sequence[str], device: torch.device) -> None:
        self.rows = bags[0].rows
        self._parts = [
            (
                mode,
                torch.from_numpy(bag.tokens).to(device),
                torch.from_numpy(bag.starts).to(device),
                torch.from_numpy(bag.weights).to(device),
            )
            for mode, bag in zip(modes, bags, strict=True)
        ]

    def __call__(self, states: Tensor) -> Tensor:
        """States batch x time x d pooled into rows x (modes * d), in float32."""
        flat = states.reshape(-1, states.shape[-1]).float()
        pooled = [
            embedding_bag(tokens, flat, starts, mode="max")
            if mode == "max"
            else embedding_bag(tokens, flat, starts, mode="sum", per_sample_weights=weights)
            for mode, tokens, starts, weights in self._parts
        ]
        return pooled[0] if len(pooled) == 1 else torch.cat(pooled, dim=-1)
