"""Models of BERT's kind in few operations, for short rows in float32 on a CPU.

Queries, keys and values are one product; the softmax of fewer than 16 tokens is written out, since torch's own takes
such rows number by number; and so are the gradients of a layer, since following every operation costs as much as the
arithmetic of a small layer. Results differ from the library's by rounding.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, pad

from isogloss.encoders.anatomy import LIKE_BERT, WITHIN, block_lists
from isogloss.encoders.products import filled, gradients_of, times

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
        layer.inside = Inside.of(layer)  # type: ignore[assignment]
    return len(layers)


def fast_kind(layer: nn.Module) -> type[nn.Module]:
    """The kind of ``layer``, read here: weights, names and copies stay as they are."""
    return type(type(layer).__name__, (type(layer),), {"forward": read_layer, "is_fast": True})


class Inside(NamedTuple):
    """What a layer is made of, at hand: finding it again takes as long as a small product."""

    weights: tuple[Tensor, ...]  # of query, key, value, mixed, inner and outer product
    biases: tuple[Tensor, ...]
    norms: tuple[Tensor, ...]  # weight and bias of the first, then of the second
    droppers: tuple[Any, ...]  # of attention, and before each norm
    eps: tuple[float, float]
    heads: int
    scale: float

    @classmethod
    def of(cls, layer: Any) -> "Inside":
        """The parts of ``layer``."""
        products = [layer.get_submodule(path) for path in WITHIN]
        own, halves = layer.attention.self, (layer.attention.output, layer.output)
        return cls(
            tuple(product.weight for product in products),
            tuple(product.bias for product in products),
            tuple(values for half in halves for values in (half.LayerNorm.weight, half.LayerNorm.bias)),
            (own.dropout, *(half.dropout for half in halves)),
            (halves[0].LayerNorm.eps, halves[1].LayerNorm.eps),
            own.num_attention_heads,
            own.scaling,
        )


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
    inside: Inside = layer.inside
    rows = filled(hidden_states.reshape(-1, width))
    shape = _Shape(batch, time, inside.heads, inside.scale, inside.eps, len(rows))
    drawn = ((batch * inside.heads, time, time), rows.shape, rows.shape)
    kept = [_kept(part, size) for part, size in zip(inside.droppers, drawn, strict=True)]
    given: tuple[Any, ...] = (rows, attention_mask, *kept, *inside.weights, *inside.biases, *inside.norms)
    if torch.is_grad_enabled():
        read: Tensor = _Layer.apply(shape, *given)  # type: ignore[no-untyped-call]
    else:
        read, _ = _read(shape, *given)
    return read[: batch * time].view(batch, time, width)


class _Shape(NamedTuple):
    """Of what a layer reads, and what its scores are multiplied by."""

    batch: int
    time: int
    heads: int
    scale: float
    eps: tuple[float, float]  # of the norms
    rows: int  # of tokens, and of zeros below them

    def split(self, rows: Tensor, parts: int) -> Tensor:
        """Rows x (parts * d) as parts x (batch * heads) x time x d of a head."""
        split = rows[: self.batch * self.time].view(self.batch, self.time, parts, self.heads, -1).permute(2, 0, 3, 1, 4)
        return split.reshape(parts, self.batch * self.heads, self.time, -1)

    def join(self, split: Tensor) -> Tensor:
        """The way back, with rows of zeros below, as many as there were."""
        rows = split.view(-1, self.batch, self.heads, self.time, split.shape[-1]).permute(1, 3, 0, 2, 4)
        joined = rows.reshape(self.batch * self.time, -1)
        return joined if len(joined) == self.rows else pad(joined, (0, 0, 0, self.rows - len(joined)))


class _Layer(torch.autograd.Function):
    """A whole layer, rows x d to rows x d."""

    @staticmethod
    def forward(ctx: Any, *given: Any) -> Tensor:
        read, saved = _read(*given)
        ctx.shape = given[0]
        ctx.save_for_backward(*saved)
        return read

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        return _read_back(gradients[0].contiguous(), ctx.saved_tensors, ctx.shape)


def _read(
    shape: _Shape,
    rows: Tensor,
    mask: Tensor | None,
    kept: Tensor | None,
    kept_first: Tensor | None,
    kept_second: Tensor | None,
    *weights: Tensor,
) -> tuple[Tensor, tuple[Tensor | None, ...]]:
    """What a layer makes of ``rows``, and what its gradients need."""
    *_, mix, inner, outer = weights[:6]
    *_, mix_bias, inner_bias, outer_bias = weights[6:12]
    norms = weights[12:]
    joint = torch.cat(weights[:3])
    joined = shape.split(times(rows, joint, torch.cat(weights[6:9])), 3)
    query, key, value = joined
    shares = softmax_of(_masked(torch.bmm(query, key.transpose(1, 2)).mul_(shape.scale), mask, shape.batch))
    dropped = shares if kept is None else shares * kept
    mixed = shape.join(torch.bmm(dropped, value))
    attended, *first = _close(times(mixed, mix, mix_bias), rows, kept_first, shape.eps[0], norms[:2])
    entered = times(attended, inner, inner_bias)
    active = gelu(entered)
    closed, *second = _close(times(active, outer, outer_bias), attended, kept_second, shape.eps[1], norms[2:])
    saved = (rows, joint, joined, shares, dropped, mixed, attended, entered, active, mix, inner, outer)
    return closed, (*saved, kept, kept_first, kept_second, *first, *second, *norms)


def _close(
    added: Tensor, before: Tensor, kept: Tensor | None, eps: float, norm: tuple[Tensor, ...]
) -> tuple[Tensor, ...]:
    """What half a layer ends with: its product, which is changed, added to what went in, and normalised.

    Also the sum, and its mean and spread by row.
    """
    added = (added if kept is None else added.mul_(kept)).add_(before)
    closed, mean, spread = torch.native_layer_norm(added, added.shape[1:], norm[0], norm[1], eps)
    return closed, added, mean, spread


def _read_back(change: Tensor, saved: tuple[Tensor, ...], shape: _Shape) -> tuple[Tensor | None, ...]:
    """Gradients of everything that ``_read`` was given."""
    rows, joint, joined, shares, dropped, mixed, attended, entered, active, mix, inner, outer = saved[:12]
    kept, kept_first, kept_second = saved[12:15]
    first, second, norms = saved[15:18], saved[18:21], saved[21:]
    before, *of_second = _close_back(change, *second, *norms[2:])
    of_active, of_outer, of_outer_bias = gradients_of(_dropped(before, kept_second), active, outer)
    change = torch.ops.aten.gelu_backward(of_active, entered)
    of_attended, of_inner, of_inner_bias = gradients_of(change, attended, inner)
    before, *of_first = _close_back(of_attended.add_(before), *first, *norms[:2])
    of_mixed, of_mix, of_mix_bias = gradients_of(_dropped(before, kept_first), mixed, mix)
    query, key, value = joined
    change = shape.split(of_mixed, 1)[0]
    scores = _through_softmax(_dropped(torch.bmm(change, value.transpose(1, 2)), kept), shares).mul_(shape.scale)
    parts = torch.empty_like(joined)
    torch.bmm(scores, key, out=parts[0])
    torch.bmm(scores.transpose(1, 2), query, out=parts[1])
    torch.bmm(dropped.transpose(1, 2), change, out=parts[2])
    of_rows, of_joint, of_joint_bias = gradients_of(shape.join(parts), rows, joint)
    return (
        None, of_rows.add_(before), *[None] * 4,
        *of_joint.chunk(3), of_mix, of_inner, of_outer,
        *of_joint_bias.chunk(3), of_mix_bias, of_inner_bias, of_outer_bias,
        *of_first, *of_second,
    )  # fmt: skip


def _close_back(
    change: Tensor, added: Tensor, mean: Tensor, spread: Tensor, weight: Tensor, bias: Tensor
) -> tuple[Tensor, ...]:
    """Gradients of the sum in ``_close``, and of the norm's weight and bias."""
    found: tuple[Tensor, ...] = torch.ops.aten.native_layer_norm_backward(
        change, added, added.shape[1:], mean, spread, weight, bias, _ALL
    )
    return found


def _dropped(values: Tensor, kept: Tensor | None) -> Tensor:
    return values if kept is None else values * kept


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
    active = getattr(layer.intermediate.intermediate_act_fn, "act", None) is gelu
    return active and not watched and all(type(one) is nn.Linear and one.bias is not None for one in products)
