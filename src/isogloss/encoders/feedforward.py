"""Where the feed-forward neurons of a model are, in every family: plain blocks, gated ones, fused gates.

A neuron's value is what the block's last product reads: ``act(a)`` in a plain block, ``act(a) * b`` in a gated one.
It is active where ``act(a)`` is above zero (Tang et al. 2024), which for every activation here is where ``a`` is.
Which product gives ``a`` is not read off names: five tokens are sent through, and numbers decide.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from isogloss.encoders.anatomy import block_lists, layer_modules, text_reader
from isogloss.encoders.hooks import hooked
from isogloss.encoders.layers import evaluating
from isogloss.errors import IsoglossError

# Each is above zero exactly where its argument is.
ACTIVATIONS = ("gelu", "gelu_new", "gelu_pytorch_tanh", "quick_gelu", "relu", "relu2", "silu")


@dataclass(frozen=True, eq=False)
class FeedForward:
    """The feed-forward block of one layer; layers count from 1."""

    layer: int
    inner: nn.Module  # its output holds ``a``, one number a neuron
    part: slice  # where in that output
    outer: nn.Module  # its input holds the neurons' values
    width: int  # how many neurons
    gated: bool


@dataclass(eq=False)
class _Trace:
    """What went through the products of one layer: the modules in the order of their calls."""

    calls: list[tuple[nn.Module, Tensor, Tensor]] = field(default_factory=list)  # module, input, output

    def note(self, module: nn.Module, args: tuple[Any, ...], output: Any) -> None:
        self.calls.append((module, args[0], output))

    def once(self, module: nn.Module) -> bool:
        return sum(called is module for called, _, _ in self.calls) == 1


def find_feed_forwards(model: Any) -> tuple[FeedForward, ...]:
    """The feed-forward blocks of all layers of ``model``'s reader, lowest first."""
    from transformers.pytorch_utils import Conv1D

    reader = text_reader(model)
    depth = len(block_lists(reader)[0])
    traces = {layer: _Trace() for layer in range(1, depth + 1)}
    pairs = [
        (module, traces[layer].note)
        for layer in traces
        for part in layer_modules(model, layer).values()
        for module in part.modules()
        if isinstance(module, nn.Linear | Conv1D)
    ]
    ids = torch.arange(1, 6, device=reader.device)[None]
    with torch.no_grad(), evaluating(reader), hooked(pairs):
        reader(input_ids=ids)
    width = int(reader.config.get_text_config().hidden_size)
    return tuple(_feed_forward(layer, trace, width, type(reader).__name__) for layer, trace in traces.items())


def _feed_forward(layer: int, trace: _Trace, width: int, kind: str) -> FeedForward:
    """Find ``a`` (and ``b``) among the outputs before the last product back to the model's width."""
    from transformers.activations import ACT2FN

    last = [place for place, (_, _, output) in enumerate(trace.calls) if output.shape[-1] == width]
    if last:
        outer, values, _ = trace.calls[last[-1]]
        before = [call for call in trace.calls[: last[-1]] if trace.once(call[0])]
        neurons = values.shape[-1]
        parts = [
            (module, part, output[..., part])
            for module, _, output in before
            if output.shape[-1] in {neurons, 2 * neurons} and output.shape[:-1] == values.shape[:-1]
            for part in _parts(output.shape[-1], neurons)
        ]
        for activation in ACTIVATIONS:
            found = _match(parts, values, ACT2FN[activation])
            if found is not None and trace.once(outer):  # layers that share a block cannot be told apart
                (inner, part), gated = found
                return FeedForward(layer, inner, part, outer, neurons, gated)
    raise IsoglossError(
        f"the feed-forward neurons of a {kind} were not found",
        where=f"layer {layer}",
        remedy="use a model with one plain or gated feed-forward block per layer, not a mixture of experts",
    )


def _parts(size: int, neurons: int) -> list[slice]:
    return [slice(start, start + neurons) for start in range(0, size, neurons)]


def _match(
    parts: Sequence[tuple[nn.Module, slice, Tensor]], values: Tensor, activate: Any
) -> tuple[tuple[nn.Module, slice], bool] | None:
    """The product whose activation gives ``values``, alone or times another product; and whether there was another."""
    for module, part, argument in parts:
        active = activate(argument)
        if _same(active, values):
            return (module, part), False
        for other, other_part, factor in parts:
            if (other, other_part) != (module, part) and _same(active * factor, values):
                return (module, part), True
    return None


def _same(ours: Tensor, theirs: Tensor) -> bool:
    tolerance = 2e-2 if theirs.dtype in {torch.bfloat16, torch.float16} else 1e-4
    scale = float(theirs.abs().max())
    return bool(torch.allclose(ours, theirs, rtol=tolerance, atol=tolerance * max(scale, 1e-12) * 0.1))


def neurons_by_layer(feed_forwards: Sequence[FeedForward], chosen: Mapping[int, Sequence[int]]) -> None:
    """Refuse layers and neurons that are not there."""
    widths = {block.layer: block.width for block in feed_forwards}
    for layer, neurons in chosen.items():
        if layer not in widths:
            raise IsoglossError(
                f"there is no feed-forward block {layer}", where="neurons", remedy=f"layers 1 to {max(widths)}"
            )
        outside = [neuron for neuron in neurons if not 0 <= neuron < widths[layer]]
        if outside:
            raise IsoglossError(
                f"there is no neuron {outside[0]}",
                where=f"layer {layer}",
                remedy=f"neurons count from 0 to {widths[layer] - 1}",
            )
