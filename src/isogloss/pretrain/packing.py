"""Batches of several shapes in one pass: tokens in one long row, attention within each batch's own rows.

The products of a small model cost little more than starting them, so four batches in one pass take much less time than
in four. Every token sees the same others as in its own batch; sums over tokens differ by rounding.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from isogloss.pretrain.dropout import drop
from isogloss.pretrain.masking import Batch

if TYPE_CHECKING:  # opening transformers takes longer than most of what is done without it
    from transformers import PreTrainedModel

_NAME = "isogloss_packed"
_shapes: ContextVar[tuple[tuple[int, int], ...]] = ContextVar("shapes of the packed batches")


def can_pack(model: "PreTrainedModel") -> bool:
    """Whether positions are counted from 0 and every token sees its whole row: BERT, unless it is causal."""
    return bool(model.config.model_type == "bert" and not model.config.is_decoder)


@dataclass(frozen=True)
class Packed:
    """Several batches as one row; ``positions`` and ``labels`` are those of all batches, in order."""

    ids: Tensor  # 1 x tokens
    places: Tensor  # 1 x tokens: where each token stands in its own row
    positions: Tensor
    labels: Tensor
    shapes: tuple[tuple[int, int], ...]

    @staticmethod
    def of(batches: Sequence[Batch]) -> "Packed":
        """Batches without padding."""
        ends = torch.tensor([0, *(batch.ids.numel() for batch in batches)]).cumsum(0).tolist()
        places = [torch.arange(batch.ids.shape[1], device=batch.ids.device).repeat(len(batch.ids)) for batch in batches]
        return Packed(
            torch.cat([batch.ids.reshape(-1) for batch in batches]).unsqueeze(0),
            torch.cat(places).unsqueeze(0),
            torch.cat([batch.positions + end for batch, end in zip(batches, ends, strict=False)]),
            torch.cat([batch.labels for batch in batches]),
            tuple((batch.ids.shape[0], batch.ids.shape[1]) for batch in batches),
        )


@contextmanager
def packed_attention(model: "PreTrainedModel", packed: Packed) -> Iterator[None]:
    """While this lasts, the model's attention keeps to the rows of each batch."""
    from transformers import AttentionInterface

    AttentionInterface.register(_NAME, _attend)
    before, token = model.config._attn_implementation, _shapes.set(packed.shapes)
    model.config._attn_implementation = _NAME
    try:
        yield
    finally:
        model.config._attn_implementation = before
        _shapes.reset(token)


def _attend(
    module: nn.Module, query: Tensor, key: Tensor, value: Tensor, _mask: Any, scaling: float | None = None,
    dropout: float = 0.0, **_more: Any,
) -> tuple[Tensor, None]:  # fmt: skip
    """1 x heads x tokens x size of queries, keys and values; gives 1 x tokens x heads x size, as transformers asks."""
    shapes, heads = _shapes.get(), query.shape[1]
    sizes = [rows * length for rows, length in shapes]
    parts = [torch.split(tensor[0].transpose(0, 1), sizes) for tensor in (query, key, value)]
    outputs = []
    for (rows, length), *triple in zip(shapes, *parts, strict=True):
        q, k, v = (part.view(rows, length, heads, -1).transpose(1, 2) for part in triple)
        seen = _rows(q, k, v, scaling, dropout)
        outputs.append(seen.transpose(1, 2).reshape(rows * length, heads, -1))
    return torch.cat(outputs).unsqueeze(0), None


def _rows(query: Tensor, key: Tensor, value: Tensor, scaling: float | None, dropout: float) -> Tensor:
    """Attention of rows x heads x tokens x size; the fused kernel has no fast dropout."""
    if not dropout:
        return functional.scaled_dot_product_attention(query, key, value, scale=scaling)
    weights = torch.matmul(query * (scaling or query.shape[-1] ** -0.5), key.transpose(2, 3)).softmax(-1)
    kept, scale = drop(weights.to(value.dtype), dropout)
    return torch.matmul(kept, value) * scale
