"""Sentences one after the other in one row, without padding: the model's inputs, and attention within each sentence."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from isogloss.encoders.devices import cpu_has_bfloat16
from isogloss.encoders.fast_layers import softmax_of
from isogloss.encoders.levels import Piece

LONGEST_BFLOAT16 = 128  # tokens; above, the fused kernel is faster (measured)


def packed_inputs(pieces: Sequence[Piece], embeddings: Any) -> dict[str, Any]:
    """What a model of BERT's kind is given: one row of all tokens, where sentences begin, positions within each."""
    lengths = np.array([len(piece.ids) for piece in pieces])
    ids = np.concatenate([np.asarray(piece.ids, dtype=np.int64) for piece in pieces])
    begins = np.cumsum(lengths) - lengths
    return {
        "input_ids": torch.from_numpy(ids)[None],
        "position_ids": torch.from_numpy(positions_within(ids, begins, lengths, embeddings))[None],
        "attention_mask": torch.zeros(1, 1, 1, 1),  # ready made, so that none is built; the blocks look at lengths
        "cu_seq_lens_q": torch.from_numpy(np.append(begins, len(ids))),
    }


def positions_within(
    ids: NDArray[np.int64], begins: NDArray[np.int64], lengths: NDArray[np.int64], embeddings: Any
) -> NDArray[np.int64]:
    """Positions as the model counts them: from 0, or, in RoBERTa's kind, behind the padding's number and past it."""
    padding = getattr(embeddings, "padding_idx", None)
    if padding is None:
        return np.arange(len(ids)) - np.repeat(begins, lengths)
    real = ids != padding
    counted = np.cumsum(real)
    before = counted[begins] - real[begins]
    return np.asarray(np.where(real, counted - np.repeat(before, lengths) + padding, padding))


def attend_within(joined: Tensor, lengths: Sequence[int], heads: int) -> Tensor:
    """Attention within each sentence, rows x d in float32.

    ``joined`` has queries (scaled already), keys and values, rows x 3d. Sentences of like length go at once.
    """
    found = torch.empty(len(joined), joined.shape[1] // 3)
    for start, end, count in alike(lengths):
        # 3 x sentences x heads x time x d of a head
        split = joined[start:end].view(count, (end - start) // count, 3, heads, -1).permute(2, 0, 3, 1, 4)
        mixed = _by_products(split) if joined.dtype == torch.bfloat16 and _short(split) else _fused(split)
        found[start:end].view(count, -1, heads, mixed.shape[-1]).copy_(mixed.transpose(1, 2))
    return found


def number_type() -> torch.dtype:
    """Of queries, keys and values: products of short sentences are twice as fast in bfloat16 where the CPU has it."""
    return torch.bfloat16 if cpu_has_bfloat16() else torch.float32


def alike(lengths: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Runs of sentences of one length: first row, end, number of sentences."""
    start = 0
    for length, run in groupby(length for length in lengths if length):
        count = len(list(run))
        yield start, start + count * length, count
        start += count * length


def _short(split: Tensor) -> bool:
    return split.shape[3] <= LONGEST_BFLOAT16


def _fused(split: Tensor) -> Tensor:
    query, key, value = split.float()
    return scaled_dot_product_attention(query, key, value, scale=1.0)


def _by_products(split: Tensor) -> Tensor:
    """Two products in bfloat16 with a softmax in float32 between them: sentences x heads x time x d of a head."""
    query, key, value = split.flatten(1, 2)
    scores = torch.bmm(query, key.transpose(1, 2))
    weights = softmax_of(scores, torch.float32)
    return torch.bmm(weights.bfloat16(), value).view(split.shape[1:])
