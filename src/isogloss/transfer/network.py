"""Encoder, methods and head as one module: a batch in, hidden states, unit states, scores and loss out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import torch
from torch import Tensor, nn

from isogloss.encoders.exits import Exit, find_exit
from isogloss.encoders.layers import Stack
from isogloss.encoders.reading import LONGEST_EAGER
from isogloss.errors import IsoglossError
from isogloss.tasks import Head
from isogloss.tasks.task import Reading
from isogloss.transfer.batches import Batch
from isogloss.transfer.entering_layers import Shortcut, run
from isogloss.transfer.frozen import frozen_depth, keep_lower
from isogloss.transfer.frozen_states import Keeper
from isogloss.transfer.methods.modules.part import Hidden, Part


class Network(nn.Module):
    """What is fine-tuned. ``dtype`` is the number type of the encoder's matrix products (weights stay as they are)."""

    def __init__(
        self, stack: Stack, parts: Sequence[Part], head: Head[Any], reading: Reading, dtype: torch.dtype
    ) -> None:
        super().__init__()
        self.stack, self.reading, self.dtype = stack, reading, dtype
        self.encoder: nn.Module = stack.model
        self.chain = tuple(parts)
        self.parts = nn.ModuleList(self.chain)
        self.head = head
        self.wanted = _wanted(parts, stack.depth)
        self.still = any(part.still for part in parts)
        self.whole = any(part.whole for part in parts)
        lower = any(part.normalised for part in parts) and self.wanted[0] < stack.depth
        self.exit = find_exit(stack) if lower else Exit(())
        self.examples = 0  # of the training part, set when training begins
        self._attention = _present_attention(stack.model)
        self._settle_frozen()

    def _settle_frozen(self) -> None:
        """Find the layers that nothing trained has a part in: they are computed once, and have no dropout."""
        top = frozen_depth(self.stack)
        self.lower: Keeper | None = None
        self.shortcut: Shortcut | None = None
        self.frozen_top = -1 if top is None else top
        if top is None:
            return
        below = tuple(layer for layer in self.wanted if layer <= top)
        above = len(below) < len(self.wanted)
        self.shortcut = Shortcut.find(self.stack, top) if above else None
        if self.shortcut or not above:
            layers = tuple(sorted({*below, top} if above else below))
            self.lower = keep_lower(self.stack, layers, self.dtype)

    def train(self, mode: bool = True) -> "Network":
        """Training mode; frozen layers, or the whole encoder where a method says so, stay without dropout."""
        super().train(mode)
        if mode and (self.still or self.frozen_top == self.stack.depth):
            self.encoder.eval()
        elif mode and self.frozen_top >= 0:
            self.encoder.eval()
            for block in self.stack.entrances[self.frozen_top :]:
                block.train()
        return self

    def hidden(self, batch: Batch) -> Hidden:
        """The hidden states that methods and head look at, by layer (rows x time x d)."""
        self._choose_attention(batch.ids.shape[1])
        with torch.autocast(batch.ids.device.type, dtype=self.dtype, enabled=self.dtype != torch.float32):
            if self.lower is None:
                return run(self.stack, batch.inputs, self.wanted)
            below = self.lower.of(batch)
            if self.shortcut is None:
                return below
            above = tuple(layer for layer in self.wanted if layer > self.frozen_top)
            return {**below, **self.shortcut.states(batch.inputs, below[self.frozen_top], above)}

    def token_states(self, hidden: Hidden, batch: Batch) -> Tensor:
        """What is left of the hidden states after all methods: rows x time x d, in float32."""
        states = hidden[self.wanted[-1]]
        for part in self.chain:
            seen = self._normalised(hidden) if part.normalised else hidden
            states = part.states(states.float(), seen, batch.mask)
        return states.float()

    def _normalised(self, hidden: Hidden) -> Hidden:
        """Lower layers after the final normalisation, as the last layer is: a residual stream may be very large."""
        depth = self.stack.depth
        return {layer: states if layer == depth else self.exit(states.float()) for layer, states in hidden.items()}

    def unit_states(self, states: Tensor, batch: Batch) -> Tensor:
        """The states of the units (sentences x units x d): of words, of the first token, or the mean."""
        if self.reading == "mean":
            inside = batch.inside[..., None]
            return ((states * inside).sum(1) / inside.sum(1).clamp(min=1))[:, None]
        return states.flatten(0, 1)[batch.units]

    def scores(self, batch: Batch) -> Any:
        """The head's scores of a batch."""
        return Step(self, batch).scores

    def objective(self, step: "Step") -> Tensor:
        """The loss of a step: the task's, wrapped in what each method makes of it."""
        inner: Callable[[], Tensor] = step.task_loss
        for part in self.chain:
            inner = partial(part.objective, step, inner)
        return inner()

    def _choose_attention(self, time: int) -> None:
        """On a CPU two plain matrix products beat the fused kernel for short rows."""
        if self._attention in {"eager", "sdpa"} and next(self.encoder.parameters()).device.type == "cpu":
            best = "eager" if time <= LONGEST_EAGER else "sdpa"
            if best != self._attention:
                self.stack.model.set_attn_implementation(best)
                self._attention = best


@dataclass(eq=False)
class Step:
    """One batch on its way through the network; each stage is computed when first asked for."""

    network: Network
    batch: Batch
    epoch: int = 0
    progress: float = 0.0  # share of all steps done

    @cached_property
    def hidden(self) -> Hidden:
        return self.network.hidden(self.batch)

    @cached_property
    def states(self) -> Tensor:
        """Sentences x units x d."""
        return self.network.unit_states(self.network.token_states(self.hidden, self.batch), self.batch)

    @cached_property
    def scores(self) -> Any:
        return self.network.head(self.states, self.batch.unit_mask)

    def task_loss(self) -> Tensor:
        return self.network.head.loss(self.scores, self.batch.targets)


def head_width(stack: Stack, parts: Sequence[Part]) -> int:
    """How wide the states are that the head sees."""
    width = stack.width
    for part in parts:
        width = part.width(width)
    return width


def _present_attention(model: Any) -> str | None:
    return model.config._attn_implementation if getattr(model, "_supports_sdpa", False) else None


def _wanted(parts: Sequence[Part], depth: int) -> tuple[int, ...]:
    """All layers that somebody looks at, lowest first; the last layer too, unless a part reads others instead."""
    readers = [part for part in parts if part.reads]
    if len(readers) > 1:
        raise IsoglossError(
            "two methods choose what the head sees", where="method", remedy="keep one of layer, scalar-mix and fusion"
        )
    layers = {layer for part in parts for layer in part.wants}
    return tuple(sorted(layers if readers else layers | {depth}))
