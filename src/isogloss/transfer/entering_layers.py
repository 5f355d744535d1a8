"""Entering a stack of layers half-way: lower blocks are passed by, and the one above gets states from elsewhere."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Optional

import torch
from torch import Tensor, nn

from isogloss.encoders.layers import Stack
from isogloss.encoders.reading import evaluating

CLOSE = 1e-3  # largest difference of states, relative to their size, between a whole pass and a resumed one


def run(stack: Stack, inputs: Mapping[str, Any], layers: tuple[int, ...]) -> dict[int, Tensor]:
    """States of ``layers`` (rows x time x d each) in a plain forward pass."""
    states: dict[int, Tensor] = {}
    more: dict[str, Any] = {"use_cache": False} if stack.causal else {}
    stack.forward({**inputs, **more}, layers, states.__setitem__)
    return states


@dataclass(frozen=True, eq=False)
class Shortcut:
    """A way into ``stack`` at layer ``start``. ``outputs`` is the length of the tuple blocks return, 0 for a tensor."""

    stack: Stack
    start: int
    outputs: int

    @classmethod
    def find(cls, stack: Stack, start: int) -> Optional["Shortcut"]:
        """The way in at layer ``start``, tried out on a few tokens; None where it does not give the same.

        That is so where blocks hand each other more than their states (T5's position biases), or are one block used
        again and again (ALBERT).
        """
        if not 0 < start < stack.depth or len(stack.entrances) != stack.depth:
            return None
        entries = int(stack.model.get_input_embeddings().weight.shape[0])
        ids = torch.arange(8, device=next(stack.model.parameters()).device).reshape(2, 4) % entries
        with torch.no_grad(), evaluating(stack.model):
            whole, outputs = _run_watched(stack, {"input_ids": ids}, (start, stack.depth))
            shortcut = cls(stack, start, outputs)
            try:
                again = shortcut.states({"input_ids": ids}, whole[start], (stack.depth,))
            except (TypeError, ValueError, IndexError, RuntimeError, AttributeError):
                return None  # blocks that need more than states say so in many ways
        gap = (whole[stack.depth] - again[stack.depth]).abs().max()
        return shortcut if bool(gap <= CLOSE * whole[stack.depth].abs().max()) else None

    def states(self, inputs: Mapping[str, Any], states: Tensor, layers: tuple[int, ...]) -> dict[int, Tensor]:
        """States of ``layers``, all above ``start``, when layer ``start`` has ``states`` (rows x time x d)."""
        with self._entered(states):
            return run(self.stack, inputs, layers)

    @contextmanager
    def _entered(self, states: Tensor) -> Iterator[None]:
        """Let the blocks below ``start`` do nothing, and put ``states`` before the block at ``start``."""

        def put_in(
            module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]
        ) -> tuple[tuple[Any, ...], dict[str, Any]]:
            return ((states, *args[1:]), kwargs) if args else (args, {**kwargs, "hidden_states": states})

        def pass_by(*args: Any, **kwargs: Any) -> Any:
            given = args[0] if args else kwargs["hidden_states"]
            return (given, *[None] * (self.outputs - 1)) if self.outputs else given

        below = self.stack.entrances[: self.start]
        forwards = [block.forward for block in below]
        handle = self.stack.entrances[self.start].register_forward_pre_hook(put_in, with_kwargs=True)
        for block in below:
            block.forward = pass_by
        try:
            yield
        finally:
            handle.remove()
            for block, forward in zip(below, forwards, strict=True):
                block.forward = forward


def _run_watched(stack: Stack, inputs: Mapping[str, Any], layers: tuple[int, ...]) -> tuple[dict[int, Tensor], int]:
    """As ``run``, and the length of the tuple that the first block returned (0 for a tensor)."""
    seen: list[int] = []

    def watch(module: nn.Module, args: Any, output: Any) -> None:
        seen.append(len(output) if isinstance(output, tuple) else 0)

    handle = stack.entrances[0].register_forward_hook(watch)
    try:
        return run(stack, inputs, layers), seen[0]
    finally:
        handle.remove()
