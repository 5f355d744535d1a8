"""Layers of BERT's kind in fewer and cheaper operations, for short rows in float32 on a CPU.

Queries, keys and values are one product, and the softmax of fewer than 16 tokens is written out: torch's own takes such
rows number by number. Results differ from the library's layers by rounding.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout, layer_norm, linear

from isogloss.encoders.anatomy import LIKE_BERT, WITHIN, block_lists

SHORTEST_SOFTMAX = 16  # tokens; from here on torch's own is as fast


def use_fast_layers(model: Any) -> int:
    """Let the layers of ``model`` that are BERT's, with nothing put into them, be computed here; returns how many."""
    if model.config.model_type not in LIKE_BERT or getattr(model.config, "is_decoder", False):
        return 0
    layers = [layer for layer in block_lists(model)[0] if _is_plain(layer)]
    for layer in layers:
        layer.__class__ = fast_kind(layer)
    return len(layers)


def fast_kind(layer: nn.Module) -> type[nn.Module]:
    """The kind of ``layer``, read here: weights, names and copies stay as they are."""
    return type(type(layer).__name__, (type(layer),), {"forward": read_layer})


def read_layer(
    layer: Any, hidden_states: Tensor, attention_mask: Tensor | None = None, *_others: Any, **_settings: Any
) -> Tensor:
    """What ``layer`` makes of states, batch x time x d. The mask is added to scores, or says which tokens are real."""
    batch, time, width = hidden_states.shape
    rows = hidden_states.reshape(-1, width)
    own, mixing, inner, last = layer.attention.self, layer.attention.output, layer.intermediate, layer.output
    parts = (own.query, own.key, own.value)
    weight, bias = torch.cat([part.weight for part in parts]), torch.cat([part.bias for part in parts])
    # 3 x batch x heads x time x d of a head
    joined = linear(rows, weight, bias).view(batch, time, 3, own.num_attention_heads, -1).permute(2, 0, 3, 1, 4)
    query, key, value = joined.reshape(3, batch * own.num_attention_heads, time, -1)
    weights = softmax_of(_masked(torch.bmm(query, key.transpose(1, 2)) * own.scaling, attention_mask, batch))
    mixed = torch.bmm(_dropped(weights, own.dropout), value)
    mixed = mixed.view(batch, own.num_attention_heads, time, -1).transpose(1, 2).reshape(rows.shape)
    attended = _closed(mixed, mixing, rows)
    activated = inner.intermediate_act_fn(linear(attended, inner.dense.weight, inner.dense.bias))
    return _closed(activated, last, attended).view(batch, time, width)


def softmax_of(scores: Tensor, dtype: torch.dtype | None = None) -> Tensor:
    """Over the last dimension, in ``dtype`` or the number type of the scores."""
    if scores.shape[-1] >= SHORTEST_SOFTMAX:
        return scores.softmax(dim=-1, dtype=dtype)
    weights: Tensor = _ShortSoftmax.apply(scores.to(dtype or scores.dtype))  # type: ignore[no-untyped-call]
    return weights


class _ShortSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, scores: Tensor) -> Tensor:
        weights = (scores - scores.amax(dim=-1, keepdim=True)).exp_()
        weights /= weights.sum(dim=-1, keepdim=True)
        ctx.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        (weights,) = ctx.saved_tensors
        change: Tensor = gradients[0] * weights
        return change.addcmul_(weights, change.sum(dim=-1, keepdim=True), value=-1)


def _masked(scores: Tensor, mask: Tensor | None, batch: int) -> Tensor:
    """``scores`` are (batch * heads) x time x time."""
    if mask is None:
        return scores
    by_row = scores.view(batch, -1, *scores.shape[1:])
    if mask.dtype == torch.bool:
        return by_row.masked_fill(~mask, torch.finfo(scores.dtype).min).view(scores.shape)
    return (by_row + mask).view(scores.shape)


def _closed(states: Tensor, part: Any, before: Tensor) -> Tensor:
    """The product that ends half a layer, added to what went in, and normalised."""
    norm = part.LayerNorm
    states = _dropped(linear(states, part.dense.weight, part.dense.bias), part.dropout) + before
    return layer_norm(states, norm.normalized_shape, norm.weight, norm.bias, norm.eps)


def _dropped(states: Tensor, part: nn.Dropout) -> Tensor:
    if not (part.training and part.p):
        return states
    return dropout(states, part.p) if type(part) is nn.Dropout else part(states)


def _is_plain(layer: Any) -> bool:
    """Whether all products of a layer are plain ones that nobody listens to: adapters and hooks want the library's."""
    try:
        products = [layer.get_submodule(path) for path in WITHIN]
    except AttributeError:
        return False
    watched = any(module._forward_hooks or module._forward_pre_hooks for module in layer.modules())
    return not watched and all(type(product) is nn.Linear and product.bias is not None for product in products)
