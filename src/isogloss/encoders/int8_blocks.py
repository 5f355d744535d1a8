"""Whole layers in 8-bit products: fewer passes over the states, no padding, and nothing that depends on the batch.

Queries, keys and values are one product. oneDNN adds the residual, or activates and rounds, while the result of a
product is still in registers. Ranges are fixed when the model is opened (post-norm layers as in BERT, CPUs with VNNI).
Two things keep a few large dimensions from making the steps of all others coarse: where ranges of normalised states
are uneven, they are brought to like ranges before a product (Xiao et al. 2023, SmoothQuant), and inner neurons whose
range is far beyond the others' have products of their own.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import layer_norm

from isogloss.encoders.anatomy import LIKE_BERT, WITHIN, block_lists
from isogloss.encoders.devices import cpu_has_vnni
from isogloss.encoders.packed import attend_within, number_type

WIDER = 1.2  # than the range seen in calibration: text of one's own may go beyond it, and is cut off there
STEPS = 255  # of an unsigned 8-bit integer
LARGEST = 127  # of a signed one, symmetric
FAR = 2.0  # times as large as others: uneven ranges
SMOOTHING = 0.6  # share of the unevenness that weights take over from states; measured on a MiniLM
WIDE = 16  # inner neurons that are rounded apart where ranges are uneven


@dataclass
class Seen:
    """What calibration saw of a product: how far its rounded twin strays at most, and the range of each input."""

    stray: float
    low: Tensor
    high: Tensor

    @classmethod
    def nothing(cls, width: int) -> "Seen":
        return cls(0.0, torch.zeros(width), torch.zeros(width))

    def add(self, stray: float, states: Tensor) -> None:
        """Note a product of ``states``, ... x inputs."""
        rows = states.reshape(-1, states.shape[-1])
        self.stray = max(self.stray, stray)
        self.low, self.high = torch.minimum(self.low, rows.amin(dim=0)), torch.maximum(self.high, rows.amax(dim=0))

    def of(self, inputs: Tensor) -> "Seen":
        """Of some of the inputs."""
        return Seen(self.stray, self.low[inputs], self.high[inputs])

    @property
    def largest(self) -> Tensor:
        """The largest size of each input."""
        return torch.maximum(self.high, -self.low)


def round_weight(weight: Tensor) -> tuple[Tensor, Tensor]:
    """Signed 8-bit integers, and the scale of each output that they are to be multiplied with."""
    scales = (weight.abs().amax(dim=1) / LARGEST).clamp(min=torch.finfo(torch.float32).tiny)
    return (weight / scales[:, None]).round().to(torch.int8), scales


class FixedProduct(nn.Module):
    """A linear layer whose input is rounded by a range fixed before; ``smooth`` brings uneven inputs to like ranges."""

    def __init__(self, weight: Tensor, bias: Tensor, seen: Seen, *, smooth: bool = False) -> None:
        super().__init__()
        weight = weight.detach().float()
        smooth = smooth and bool(seen.largest.max() > FAR * seen.largest.median())
        factors = smoothing(weight, seen) if smooth else torch.ones(weight.shape[1])
        low, high = float((seen.low / factors).min()), float((seen.high / factors).max())
        step = (high - low) * WIDER / STEPS or 1.0
        rounded, scales = round_weight(weight * factors)
        # parameters, so that what names a model by its weights sees them; the packed form is opaque
        self.weight = nn.Parameter(rounded, requires_grad=False)
        self.scales = nn.Parameter(scales, requires_grad=False)
        self.bias = nn.Parameter(bias.detach().float().clone(), requires_grad=False)
        self.step = nn.Parameter(torch.tensor(step, dtype=torch.float32), requires_grad=False)
        self.shrink = nn.Parameter(1 / factors, requires_grad=False) if smooth else None
        self._step, self._zero = float(self.step), round(-low * WIDER / step)
        self._zeros = torch.zeros(len(self.scales), dtype=torch.int64)
        self._packed = torch.ops.onednn.qlinear_prepack(self.weight.data, None)

    def round(self, states: Tensor) -> Tensor:
        """States as unsigned 8-bit integers of this product's input."""
        states = states.contiguous() if self.shrink is None else states * self.shrink
        rounded = torch.quantize_per_tensor(states, self._step, self._zero, torch.quint8)
        # the same memory; ``int_repr`` copies it number by number, six times as slow as the rounding
        memory = rounded.untyped_storage()
        return torch.empty(0, dtype=torch.uint8).set_(memory, 0, rounded.shape, rounded.stride())

    def scale_first(self, count: int, factor: float) -> None:
        """Multiply the first ``count`` outputs by ``factor``, at no cost: their scales and biases take it."""
        self.scales.data[:count] *= factor
        self.bias.data[:count] *= factor

    def forward(self, rounded: Tensor, dtype: torch.dtype = torch.float32) -> Tensor:
        """The product of rounded states."""
        found: Tensor = torch.ops.onednn.qlinear_pointwise(
            *self._operands(rounded), self.bias, 1.0, 0, dtype, "none", [], "none"
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


class FeedForward(nn.Module):
    """The two products of some inner neurons, with GELU between them."""

    def __init__(self, inner: FixedProduct, outer: FixedProduct) -> None:
        super().__init__()
        self.inner, self.outer = inner, outer

    def forward(self, states: Tensor, total: Tensor) -> Tensor:
        """What these neurons make of ``states``, added to ``total``."""
        return self.outer.add(self.inner.activate(self.inner.round(states), self.outer), total)


class Int8Block(nn.Module):
    """A layer of BERT whose products are in 8-bit integers; states in and out are float32, batch x time x d.

    Only real tokens are computed; states at padded places are zero. Sentences may also stand one after the other in
    one row, without padding (``packed.packed_inputs``). A sentence's states do not depend on the sentences beside it.
    """

    reads_packed = True

    def __init__(self, layer: Any, seen: Mapping[str, Seen]) -> None:
        super().__init__()
        query, _, _, mixed, inner, outer = WITHIN
        weights, biases = zip(*(_weight_and_bias(layer.get_submodule(path)) for path in WITHIN), strict=True)
        self.heads = int(layer.attention.self.num_attention_heads)
        self.attend = FixedProduct(torch.cat(weights[:3]), torch.cat(biases[:3]), seen[query], smooth=True)
        self.attend.scale_first(len(weights[0]), (len(weights[0]) / self.heads) ** -0.5)
        self.mix = FixedProduct(weights[3], biases[3], seen[mixed])
        groups = groups_of_neurons(seen[outer])
        self.forwards = nn.ModuleList(
            FeedForward(
                FixedProduct(weights[4][neurons], biases[4][neurons], seen[inner], smooth=True),
                FixedProduct(weights[5][:, neurons], biases[5] / len(groups), seen[outer].of(neurons)),
            )
            for neurons in groups
        )
        self.attended, self.final = layer.attention.output.LayerNorm, layer.output.LayerNorm
        self.dtype = number_type()

    def forward(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        *_others: Any,
        cu_seq_lens_q: Tensor | None = None,
        **_settings: Any,
    ) -> Tensor:
        batch, time, width = hidden_states.shape
        rows = hidden_states.reshape(-1, width)
        if cu_seq_lens_q is not None:
            return self._read(rows, cu_seq_lens_q.diff().tolist()).view(batch, time, width)
        if attention_mask is None:
            return self._read(rows, [time] * batch).view(batch, time, width)
        real = real_tokens(attention_mask, batch)
        places = real.flatten().nonzero()[:, 0]
        states = rows.new_zeros(rows.shape)
        states[places] = self._read(rows[places], real.sum(dim=1).tolist())
        return states.view(batch, time, width)

    def _read(self, states: Tensor, lengths: list[int]) -> Tensor:
        """Of sentences one after the other, rows x d."""
        joined = self.attend(self.attend.round(states), self.dtype)
        mixed = attend_within(joined, lengths, self.heads)
        attended = _normalise(self.mix.add(self.mix.round(mixed), states), self.attended)
        total = attended
        for forward in self.forwards:
            total = forward(attended, total)
        return _normalise(total, self.final)


def real_tokens(mask: Tensor, batch: int) -> Tensor:
    """Which tokens are not padding, batch x time, from any mask that transformers hands to a layer.

    It is added to the similarities (0 is real), or says which tokens are real; the same for every head and query.
    """
    of_keys = mask[:, 0, 0] if mask.dim() == 4 else mask
    real = of_keys if of_keys.dtype == torch.bool or mask.dim() == 2 else of_keys == 0
    return real.bool().expand(batch, -1)


def make_blocks(model: Any, rounded: Collection[str], seen: Mapping[str, Seen]) -> dict[int, Int8Block]:
    """Blocks for the layers of ``model`` all of whose products are to be rounded, by the numbers of the layers.

    ``rounded`` and ``seen`` go by the paths of the products in the model.
    """
    config = model.config
    fits = config.model_type in LIKE_BERT and config.hidden_act == "gelu" and not getattr(config, "is_decoder", False)
    if not (fits and cpu_has_vnni() and hasattr(torch.ops.onednn.qlinear_pointwise, "binary")):
        return {}
    paths = {id(module): path for path, module in model.named_modules()}
    blocks: dict[int, Int8Block] = {}
    for number, layer in enumerate(block_lists(model)[0]):
        inside = {path: f"{paths[id(layer)]}.{path}" for path in WITHIN}
        if set(rounded) >= set(inside.values()):
            blocks[number] = Int8Block(layer, {path: seen[full] for path, full in inside.items()})
    return blocks


def smoothing(weight: Tensor, seen: Seen) -> Tensor:
    """What each input is divided by and its weights are multiplied with: most where states are large, weights small."""
    states, weights = seen.largest.clamp(min=1e-5), weight.abs().amax(dim=0).clamp(min=1e-5)
    factors = states**SMOOTHING / weights ** (1 - SMOOTHING)
    return factors / factors.mean()


def groups_of_neurons(seen: Seen) -> list[Tensor]:
    """The inner neurons, those of a far wider range than the others by themselves; ``seen`` is of their outputs."""
    order = seen.largest.argsort(descending=True)
    if len(order) <= WIDE or seen.largest[order[0]] <= FAR * seen.largest[order[WIDE]]:
        return [torch.arange(len(order))]
    return [order[WIDE:].sort().values, order[:WIDE].sort().values]


def _weight_and_bias(linear: nn.Linear) -> tuple[Tensor, Tensor]:
    weight = linear.weight.detach().float()
    return weight, torch.zeros(len(weight)) if linear.bias is None else linear.bias.detach().float()


def _normalise(states: Tensor, norm: nn.LayerNorm) -> Tensor:
    return layer_norm(states, norm.normalized_shape, norm.weight, norm.bias, norm.eps)
