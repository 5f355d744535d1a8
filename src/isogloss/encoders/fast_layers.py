"""Models of BERT's kind in few operations, for short rows in float32 on a CPU.

Queries, keys and values are one product; the softmax of fewer than 16 tokens is written out, since torch's own takes
such rows number by number; and so are the gradients of a layer's three parts, since following every operation costs as
much as the arithmetic of a small layer. Results differ from the library's by rounding.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, linear

from isogloss.encoders.anatomy import LIKE_BERT, WITHIN, block_lists

SHORTEST_SOFTMAX = 16  # tokens; from here on torch's own is as fast
_ALL = (True, True, True)  # gradients of a norm
_KNOWN = {"input_ids", "attention_mask", "token_type_ids"}


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
    return type(type(layer).__name__, (type(layer),), {"forward": read_layer, "is_fast": True})


def reads_directly(model: Any, blocks: Any, inputs: Mapping[str, Any]) -> bool:
    """Whether ``model`` is its embeddings and ``blocks`` that are all computed here, and ``inputs`` are plain."""
    plain = inputs.keys() <= _KNOWN and not hasattr(model, "embeddings_project")  # ELECTRA may have one
    return plain and bool(blocks) and all(getattr(block, "is_fast", False) for block in blocks)


def read_directly(model: Any, blocks: Any, inputs: Mapping[str, Any]) -> Iterator[Tensor]:
    """The states of every layer, from the embedding up, past what the library does around its blocks."""
    given = inputs.get("attention_mask")
    states = model.embeddings(input_ids=inputs["input_ids"], token_type_ids=inputs.get("token_type_ids"))
    mask = None if given is None else torch.where(given[:, None, None].bool(), 0.0, torch.finfo(states.dtype).min)
    yield states
    for block in blocks:
        states = block(states, mask)
        yield states


def read_layer(
    layer: Any, hidden_states: Tensor, attention_mask: Tensor | None = None, *_others: Any, **_settings: Any
) -> Tensor:
    """What ``layer`` makes of states, batch x time x d. The mask is added to scores, or says which tokens are real."""
    batch, time, width = hidden_states.shape
    rows = hidden_states.reshape(-1, width)
    own, inner = layer.attention.self, layer.intermediate
    parts = (own.query, own.key, own.value)
    weight, bias = torch.cat([part.weight for part in parts]), torch.cat([part.bias for part in parts])
    shape = _Shape(batch, time, own.num_attention_heads, own.scaling)
    kept = _kept(own.dropout, (batch * shape.heads, time, time))
    mixed: Tensor = _Mix.apply(rows, weight, bias, attention_mask, kept, shape)  # type: ignore[no-untyped-call]
    attended = _closed(mixed, layer.attention.output, rows)
    if getattr(inner.intermediate_act_fn, "act", None) is gelu:
        active = _Activate.apply(attended, inner.dense.weight, inner.dense.bias)  # type: ignore[no-untyped-call]
    else:
        active = inner.intermediate_act_fn(linear(attended, inner.dense.weight, inner.dense.bias))
    return _closed(active, layer.output, attended).view(batch, time, width)


class _Shape(NamedTuple):
    """Of what a layer reads, and what its scores are multiplied by."""

    batch: int
    time: int
    heads: int
    scale: float

    def split(self, rows: Tensor, parts: int) -> Tensor:
        """Rows x (parts * d) as parts x (batch * heads) x time x d of a head."""
        split = rows.view(self.batch, self.time, parts, self.heads, -1).permute(2, 0, 3, 1, 4)
        return split.reshape(parts, self.batch * self.heads, self.time, -1)

    def join(self, split: Tensor) -> Tensor:
        """The way back."""
        rows = split.view(-1, self.batch, self.heads, self.time, split.shape[-1]).permute(1, 3, 0, 2, 4)
        return rows.reshape(self.batch * self.time, -1)


class _Mix(torch.autograd.Function):
    """Attention: rows x d to rows x d, without the product that follows it."""

    @staticmethod
    def forward(
        ctx: Any, rows: Tensor, weight: Tensor, bias: Tensor, mask: Tensor | None, kept: Tensor | None, shape: _Shape
    ) -> Tensor:
        joined = shape.split(torch.addmm(bias, rows, weight.t()), 3)
        query, key, value = joined
        weights = softmax_of(_masked(torch.bmm(query, key.transpose(1, 2)).mul_(shape.scale), mask, shape.batch))
        dropped = weights if kept is None else weights * kept
        ctx.shape = shape
        ctx.save_for_backward(rows, weight, joined, weights, dropped, kept)
        return shape.join(torch.bmm(dropped, value))

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        rows, weight, joined, weights, dropped, kept = ctx.saved_tensors
        shape: _Shape = ctx.shape
        query, key, value = joined
        change = shape.split(gradients[0], 1)[0]
        scores = torch.bmm(change, value.transpose(1, 2))
        scores = _through_softmax(scores if kept is None else scores * kept, weights).mul_(shape.scale)
        parts = torch.empty_like(joined)
        torch.bmm(scores, key, out=parts[0])
        torch.bmm(scores.transpose(1, 2), query, out=parts[1])
        torch.bmm(dropped.transpose(1, 2), change, out=parts[2])
        change = shape.join(parts)
        return change @ weight, change.t() @ rows, change.sum(0), None, None, None


class _Activate(torch.autograd.Function):
    """A product and GELU."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        inside = torch.addmm(bias, rows, weight.t())
        ctx.save_for_backward(rows, weight, inside)
        return gelu(inside)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, ...]:
        rows, weight, inside = ctx.saved_tensors
        change = torch.ops.aten.gelu_backward(gradients[0], inside)
        return change @ weight, change.t() @ rows, change.sum(0)


class _Close(torch.autograd.Function):
    """The product that ends half a layer, added to what went in, and normalised."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, before: Tensor, kept: Tensor | None, eps: float, *weights: Tensor) -> Tensor:
        weight, bias, norm_weight, norm_bias = weights
        added = torch.addmm(bias, rows, weight.t())
        added = (added if kept is None else added.mul_(kept)).add_(before)
        closed, mean, spread = torch.native_layer_norm(added, added.shape[1:], norm_weight, norm_bias, eps)
        ctx.save_for_backward(rows, weight, added, mean, spread, norm_weight, norm_bias, kept)
        return closed

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        rows, weight, added, mean, spread, norm_weight, norm_bias, kept = ctx.saved_tensors
        before, of_weight, of_bias = torch.ops.aten.native_layer_norm_backward(
            gradients[0].contiguous(), added, added.shape[1:], mean, spread, norm_weight, norm_bias, _ALL
        )
        change = before if kept is None else before * kept
        return change @ weight, before, None, None, change.t() @ rows, change.sum(0), of_weight, of_bias


def softmax_of(scores: Tensor, dtype: torch.dtype | None = None) -> Tensor:
    """Over the last dimension, in ``dtype`` or the number type of the scores."""
    if scores.shape[-1] >= SHORTEST_SOFTMAX:
        return scores.softmax(dim=-1, dtype=dtype)
    scores = scores.to(dtype or scores.dtype)
    weights = (scores - scores.amax(dim=-1, keepdim=True)).exp_()
    weights /= weights.sum(dim=-1, keepdim=True)
    return weights


def _through_softmax(gradient: Tensor, weights: Tensor) -> Tensor:
    change = gradient * weights
    return change.addcmul_(weights, change.sum(dim=-1, keepdim=True), value=-1)


def _masked(scores: Tensor, mask: Tensor | None, batch: int) -> Tensor:
    """``scores``, which are changed, are (batch * heads) x time x time."""
    if mask is not None:
        by_row = scores.view(batch, -1, *scores.shape[1:])
        if mask.dtype == torch.bool:
            by_row.masked_fill_(~mask, torch.finfo(scores.dtype).min)
        else:
            by_row += mask
    return scores


def _closed(states: Tensor, part: Any, before: Tensor) -> Tensor:
    norm, weights = part.LayerNorm, (part.dense.weight, part.dense.bias, part.LayerNorm.weight, part.LayerNorm.bias)
    kept = _kept(part.dropout, before.shape)
    closed: Tensor = _Close.apply(states, before, kept, norm.eps, *weights)  # type: ignore[no-untyped-call]
    return closed


def _kept(part: nn.Dropout, shape: tuple[int, ...]) -> Tensor | None:
    """What values are multiplied by where ``part`` drops some of them; None where it does not."""
    if not (part.training and part.p):
        return None
    with torch.no_grad():
        kept: Tensor = part(torch.ones(shape))
    return kept


def _is_plain(layer: Any) -> bool:
    """Whether all products of a layer are plain ones that nobody listens to: adapters and hooks want the library's."""
    try:
        products = [layer.get_submodule(path) for path in WITHIN]
    except AttributeError:
        return False
    watched = any(module._forward_hooks or module._forward_pre_hooks for module in layer.modules())
    return not watched and all(type(product) is nn.Linear and product.bias is not None for product in products)
