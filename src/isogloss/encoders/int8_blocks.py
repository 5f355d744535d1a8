"""Whole layers in 8-bit products: fewer passes over the states, no padding, and nothing that depends on the batch.

Queries, keys and values are one product. oneDNN adds the residual, or activates and rounds, while the result of a
product is still in registers. Ranges are fixed when the model is opened (post-norm layers as in BERT, CPUs with VNNI).
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn.functional import layer_norm, scaled_dot_product_attention

from isogloss.encoders.anatomy import block_lists
from isogloss.encoders.devices import cpu_has_vnni

if TYPE_CHECKING:
    from isogloss.encoders.int8 import Int8Linear, Seen

POST_NORM = {"bert", "camembert", "electra", "roberta", "xlm-roberta"}  # families whose layers are BERT's
WIDER = 1.2  # than the range seen in calibration: text of one's own may go beyond it, and is cut off there
STEPS = 255  # of an unsigned 8-bit integer
WITHIN = (
    "attention.self.query", "attention.self.key", "attention.self.value",
    "attention.output.dense", "intermediate.dense", "output.dense",
)  # fmt: skip


class FixedProduct(nn.Module):
    """Linear layers with one input, side by side in one product, whose input is rounded by a range fixed before."""

    def __init__(self, parts: Sequence["Int8Linear"], seen: "Seen") -> None:
        super().__init__()
        step = (seen.high - seen.low) * WIDER / STEPS or 1.0
        self.weight = nn.Parameter(torch.cat([part.weight for part in parts]), requires_grad=False)
        self.scales = nn.Parameter(torch.cat([part.scales for part in parts]), requires_grad=False)
        self.bias = nn.Parameter(torch.cat([part.bias_or_zeros() for part in parts]), requires_grad=False)
        self.step = nn.Parameter(torch.tensor(step, dtype=torch.float32), requires_grad=False)
        self._step, self._zero = float(self.step), round(-seen.low * WIDER / step)
        self._zeros = torch.zeros(len(self.scales), dtype=torch.int64)
        self._packed = torch.ops.onednn.qlinear_prepack(self.weight.data, None)

    def round(self, states: Tensor) -> Tensor:
        """States as unsigned 8-bit integers of this product's input."""
        rounded = torch.quantize_per_tensor(states.contiguous(), self._step, self._zero, torch.quint8)
        # the same memory; ``int_repr`` copies it number by number, six times as slow as the rounding
        memory = rounded.untyped_storage()
        return torch.empty(0, dtype=torch.uint8).set_(memory, 0, rounded.shape, rounded.stride())

    def forward(self, rounded: Tensor) -> Tensor:
        """The product of rounded states, in float32."""
        found: Tensor = torch.ops.onednn.qlinear_pointwise(
            *self._operands(rounded), self.bias, 1.0, 0, torch.float32, "none", [], "none"
        )
        return found

    def activate(self, rounded: Tensor, following: "FixedProduct") -> Tensor:
        """GELU of the product, rounded for the product that follows."""
        found: Tensor = torch.ops.onednn.qlinear_pointwise(
            *self._operands(rounded), self.bias, following._step, following._zero, torch.uint8, "gelu", [], "none"
        )
        return found

    def add(self, rounded: Tensor, states: Tensor) -> Tensor:
        """The product plus ``states``."""
        found: Tensor = torch.ops.onednn.qlinear_pointwise.binary(
            *self._operands(rounded), states, self.bias, 1.0, 0, torch.float32, 1.0, 0, "add", 1.0, "none", [], "none"
        )
        return found

    def _operands(self, rounded: Tensor) -> tuple[Any, ...]:
        return rounded, self._step, self._zero, self._packed, self.scales, self._zeros


class Int8Block(nn.Module):
    """A layer of BERT whose products are in 8-bit integers; states in and out are float32, batch x time x d.

    Only real tokens are computed; states at padded places are zero. A sentence's states do not depend on the
    sentences beside it.
    """

    def __init__(self, layer: Any, products: Mapping[str, "Int8Linear"], seen: Mapping[str, "Seen"]) -> None:
        super().__init__()
        query, key, value, mixed, inner, outer = WITHIN
        self.heads = int(layer.attention.self.num_attention_heads)
        self.attend = FixedProduct([products[path] for path in (query, key, value)], seen[query])
        self.mix = FixedProduct([products[mixed]], seen[mixed])
        self.inner = FixedProduct([products[inner]], seen[inner])
        self.outer = FixedProduct([products[outer]], seen[outer])
        self.attended, self.final = layer.attention.output.LayerNorm, layer.output.LayerNorm

    def forward(
        self, hidden_states: Tensor, attention_mask: Tensor | None = None, *_others: Any, **_settings: Any
    ) -> Tensor:
        batch, time, width = hidden_states.shape
        rows = hidden_states.reshape(-1, width)
        if attention_mask is None:
            return self._read(rows, [time] * batch).view(batch, time, width)
        real = real_tokens(attention_mask, batch)
        places = real.flatten().nonzero()[:, 0]
        states = rows.new_zeros(rows.shape)
        states[places] = self._read(rows[places], real.sum(dim=1).tolist())
        return states.view(batch, time, width)

    def _read(self, states: Tensor, lengths: list[int]) -> Tensor:
        """Of sentences one after the other, rows x d."""
        mixed = self._mix_tokens(self.attend(self.attend.round(states)), lengths)
        attended = _normalise(self.mix.add(self.mix.round(mixed), states), self.attended)
        inner = self.inner.activate(self.inner.round(attended), self.outer)
        return _normalise(self.outer.add(inner, attended), self.final)

    def _mix_tokens(self, joined: Tensor, lengths: list[int]) -> Tensor:
        """Attention within each sentence; ``joined`` has queries, keys and values, rows x 3d. Like lengths at once."""
        found, start = [], 0
        for length, alike in groupby(length for length in lengths if length):
            count = len(list(alike))
            end = start + count * length
            # 3 x sentences x heads x time x d of a head
            split = joined[start:end].view(count, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            found.append(scaled_dot_product_attention(*split).transpose(1, 2).reshape(end - start, -1))
            start = end
        return found[0] if len(found) == 1 else torch.cat(found)


def real_tokens(mask: Tensor, batch: int) -> Tensor:
    """Which tokens are not padding, batch x time, from any mask that transformers hands to a layer.

    It is added to the similarities (0 is real), or says which tokens are real; the same for every head and query.
    """
    of_keys = mask[:, 0, 0] if mask.dim() == 4 else mask
    real = of_keys if of_keys.dtype == torch.bool or mask.dim() == 2 else of_keys == 0
    return real.bool().expand(batch, -1)


def fuse_blocks(model: Any, products: Mapping[str, "Int8Linear"], seen: Mapping[str, "Seen"]) -> dict[int, nn.Module]:
    """Put blocks in place of the layers of ``model`` all of whose products are rounded; returns those layers.

    ``products`` and ``seen`` go by the paths of the products in the model.
    """
    config = model.config
    fits = config.model_type in POST_NORM and config.hidden_act == "gelu" and not getattr(config, "is_decoder", False)
    if not (fits and cpu_has_vnni() and hasattr(torch.ops.onednn.qlinear_pointwise, "binary")):
        return {}
    layers = block_lists(model)[0]
    paths = {id(module): path for path, module in model.named_modules()}
    replaced: dict[int, nn.Module] = {}
    for number, layer in enumerate(list(layers)):
        inside = {path: f"{paths[id(layer)]}.{path}" for path in WITHIN}
        if products.keys() >= set(inside.values()):
            replaced[number] = layer
            layers[number] = Int8Block(
                layer,
                {path: products[full] for path, full in inside.items()},
                {path: seen[full] for path, full in inside.items()},
            )
    return replaced


def _normalise(states: Tensor, norm: nn.LayerNorm) -> Tensor:
    return layer_norm(states, norm.normalized_shape, norm.weight, norm.bias, norm.eps)
