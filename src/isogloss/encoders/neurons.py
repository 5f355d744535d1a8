"""Feed-forward neurons while a model reads: how often each is active, and what happens without some of them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from isogloss.encoders.anatomy import text_reader
from isogloss.encoders.feedforward import FeedForward, find_feed_forwards, neurons_by_layer
from isogloss.encoders.hooks import Hook, PreHook, hooked
from isogloss.encoders.layers import evaluating
from isogloss.encoders.text_batches import TextBatch
from isogloss.errors import IsoglossError

Neurons = Mapping[int, Sequence[int]]  # numbers of neurons by layer, which count from 1


@dataclass(frozen=True, eq=False)
class ActivationCounts:
    """On how many tokens each neuron was active (layers x neurons), and of how many. Counts of parts add up."""

    active: NDArray[np.int64]
    tokens: int

    def __add__(self, other: "ActivationCounts") -> "ActivationCounts":
        return ActivationCounts(self.active + other.active, self.tokens + other.tokens)

    @property
    def probability(self) -> NDArray[np.float64]:
        """The share of tokens on which each neuron is active."""
        if self.tokens == 0:
            raise IsoglossError("no token was read", remedy="give some text")
        return np.asarray(self.active / self.tokens, dtype=np.float64)


def count_activations(
    model: Any, batches: Iterable[TextBatch], blocks: Sequence[FeedForward] | None = None
) -> ActivationCounts:
    """Count, in one pass over ``batches``, the text's tokens on which each feed-forward neuron is active.

    Hooks add to one number a neuron and keep nothing else, so memory does not grow with the text. Special tokens and
    padding do not count. All layers must have as many neurons.
    """
    found = find_feed_forwards(model) if blocks is None else blocks
    if len({block.width for block in found}) != 1:
        raise IsoglossError("the layers of this model differ in their number of neurons", remedy="name another model")
    reader = text_reader(model)
    totals = torch.zeros(len(found), found[0].width, dtype=torch.float64, device=reader.device)
    tokens, mask = 0, torch.zeros(0)

    def counter(row: int, part: slice) -> Hook:
        def count(_module: nn.Module, _args: tuple[Any, ...], output: Tensor) -> None:
            values = output[..., part].reshape(-1, totals.shape[1])  # batch * time x neurons
            positive = torch.empty_like(values, dtype=torch.float32)
            totals[row] += mask @ torch.gt(values, 0, out=positive)  # a product is the fastest masked sum on a CPU

        return count

    pairs = [(block.inner, counter(row, block.part)) for row, block in enumerate(found)]
    with torch.inference_mode(), evaluating(model), hooked(pairs):
        for batch in batches:
            mask = batch.text.reshape(-1).float()
            tokens += int(mask.sum())
            reader(**batch.inputs)
    return ActivationCounts(totals.round().long().cpu().numpy(), tokens)


@contextmanager
def switched_off(blocks: Sequence[FeedForward], neurons: Neurons) -> Iterator[None]:
    """Inside, these neurons are zero whatever is read; afterwards the model is as it was."""
    neurons_by_layer(blocks, neurons)

    def silencer(numbers: Tensor) -> PreHook:
        def silence(_module: nn.Module, args: tuple[Any, ...]) -> tuple[Any, ...]:
            return (args[0].index_fill(-1, numbers.to(args[0].device), 0.0), *args[1:])

        return silence

    chosen = {layer: torch.tensor(sorted(set(numbers)), dtype=torch.long) for layer, numbers in neurons.items()}
    pairs = [(block.outer, silencer(chosen[block.layer])) for block in blocks if len(chosen.get(block.layer, ()))]
    with hooked(before=pairs):
        yield
