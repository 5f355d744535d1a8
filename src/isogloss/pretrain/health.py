"""The health of a run: does every layer do its work, and does the residual stream stay within bounds?

A run can look well by its loss while its stream has blown up in the first block and the later ones do nothing; every
study of layers would then be meaningless. So each validation looks at the layers one by one.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from isogloss.pretrain.masking import Batch
from isogloss.pretrain.model import layer_list
from isogloss.pretrain.sharing import Paths
from isogloss.pretrain.validate import mean_loss

if TYPE_CHECKING:  # opening transformers takes longer than most of what is done without it
    from transformers import PreTrainedModel

SAMPLE = 4  # held-out batches a language: enough to tell a working layer from an idle one
EXPLODED = 50.0  # times the norm of the embeddings
IDLE, WORKING = 0.003, 0.1  # nats that the loss rises without the layer; what the busiest layer must reach
Hook = Callable[[nn.Module, tuple[Any, ...], Any], Any]


@dataclass(frozen=True)
class LayerHealth:
    """One layer for one language at one validation; layer 0 is the embeddings."""

    language: str
    layer: int
    residual_norm: float  # mean over tokens of the norm of the layer's output
    gradient_norm: float  # of the last batch's (clipped) gradient; nan where that batch did not reach the layer
    loss_without: float  # how much the loss rises when the layer is skipped; nan for the embeddings


def examine(paths: Paths, held_out: Mapping[str, list[Batch]], device: torch.device) -> list[LayerHealth]:
    """The health of all layers, language by language, on the beginning of the held-out text."""
    found: list[LayerHealth] = []
    for language, batches in held_out.items():
        model, sample = paths[language], batches[:SAMPLE]
        norms, loss = _residual_norms(model, paths, sample, device)
        layers = layer_list(model)
        gradients = [_gradient_norm(module) for module in (model.get_input_embeddings(), *layers)]
        rises = [float("nan")]
        for layer in layers:
            with _hooks([(layer, _skip)]):
                rises.append(mean_loss(paths, sample, device) - loss)
        found += [
            LayerHealth(language, number, *values)
            for number, values in enumerate(zip(norms, gradients, rises, strict=True))
        ]
    return found


def complaints(layers: Sequence[LayerHealth]) -> list[str]:
    """What is wrong and what to try, a sentence per layer and language."""
    found: list[str] = []
    for language in dict.fromkeys(layer.language for layer in layers):
        own = [layer for layer in layers if layer.language == language]
        found += _explosions(own) + _idle(own)
    return found


def _explosions(layers: Sequence[LayerHealth]) -> list[str]:
    """Only the first layer that blows up is named: the others inherit the stream."""
    start = layers[0].residual_norm
    for layer in layers[1:]:
        if layer.residual_norm > EXPLODED * max(start, 1e-6):
            return [
                f"layer {layer.layer} blows up the residual stream of '{layer.language}' (norm {start:.3g} after the "
                f"embeddings, {layer.residual_norm:.3g} here): lower training.learning_rate, raise "
                "training.weight_decay to 0.1, or use an architecture that normalises after each block (bert)"
            ]
    return []


def _idle(layers: Sequence[LayerHealth]) -> list[str]:
    """Before the model has learnt to use any layer, none counts as idle."""
    rises = [layer.loss_without for layer in layers[1:]]
    if not rises or max(rises) < WORKING:
        return []
    return [
        f"layer {layer.layer} is idle for '{layer.language}' (without it the loss "
        f"{'rises' if layer.loss_without >= 0 else 'falls'} by {abs(layer.loss_without):.4f}): "
        "lower training.learning_rate or lengthen training.warmup, train longer, or use fewer model.layers"
        for layer in layers[1:]
        if layer.loss_without < IDLE
    ]


def _residual_norms(
    model: "PreTrainedModel", paths: Paths, batches: list[Batch], device: torch.device
) -> tuple[list[float], float]:
    """Mean norm of the stream after the embeddings and after each layer, and the loss of the same batches."""
    layers = layer_list(model)
    sums, seen = [0.0] * (len(layers) + 1), [0] * (len(layers) + 1)

    def note(number: int, stream: Tensor) -> None:
        sums[number] += float(stream.float().norm(dim=-1).sum())
        seen[number] += stream.shape[:-1].numel()

    def watcher(number: int) -> Hook:
        def watch(_layer: nn.Module, args: tuple[Any, ...], output: Any) -> None:
            if number == 1:
                note(0, args[0])
            note(number, _stream(output))

        return watch

    with _hooks([(layer, watcher(number)) for number, layer in enumerate(layers, start=1)]):
        loss = mean_loss(paths, batches, device)
    return [total / max(1, count) for total, count in zip(sums, seen, strict=True)], loss


def _skip(_layer: nn.Module, args: tuple[Any, ...], output: Any) -> Any:
    """Pass on what came in instead of what the layer made of it."""
    return (args[0], *output[1:]) if isinstance(output, tuple) else args[0]


def _stream(output: Any) -> Tensor:
    stream: Tensor = output[0] if isinstance(output, tuple) else output
    return stream


def _gradient_norm(module: nn.Module) -> float:
    norms = [parameter.grad.norm() for parameter in module.parameters() if parameter.grad is not None]
    return float(torch.stack(norms).norm()) if norms else float("nan")


@contextmanager
def _hooks(pairs: Sequence[tuple[nn.Module, Hook]]) -> Iterator[None]:
    handles = [module.register_forward_hook(hook) for module, hook in pairs]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
