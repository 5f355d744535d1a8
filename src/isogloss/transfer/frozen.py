"""Frozen lower layers are computed once: their states are kept by sentence, and a step costs only what is trained."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from isogloss.encoders.layers import Stack
from isogloss.encoders.reading import evaluating
from isogloss.transfer.batches import Batch, Split
from isogloss.transfer.resuming import run

IN_MEMORY = 4 * 2**30  # bytes of states of one part kept in memory; above, a file that the system maps


def frozen_depth(stack: Stack) -> int | None:
    """The highest layer that nothing trained has a part in; None when the embeddings are trained. Autograd knows."""
    ids = torch.zeros(1, 2, dtype=torch.long, device=next(stack.model.parameters()).device)
    with torch.enable_grad(), evaluating(stack.model):
        states = run(stack, {"input_ids": ids}, tuple(range(stack.depth + 1)))
    return max((layer for layer, given in states.items() if not given.requires_grad), default=None)


@dataclass(eq=False)
class Kept:
    """States of one part: by layer all tokens one after the other, and which rows are there."""

    states: dict[int, Tensor]  # tokens + 1 x d; the last row is zero, for padding
    ready: NDArray[np.bool_]


class LowerStates:
    """The states of frozen layers up to ``top``, of the ``layers`` asked for."""

    def __init__(self, stack: Stack, top: int, layers: tuple[int, ...], dtype: torch.dtype) -> None:
        self.stack, self.top, self.layers, self.dtype = stack, top, layers, dtype
        self._kept: WeakKeyDictionary[Split, Kept] = WeakKeyDictionary()
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def of(self, batch: Batch) -> Mapping[int, Tensor]:
        """States of a batch by layer (rows x time x d), computed where they are not there yet."""
        kept = self._kept.get(batch.split) or self._make_room(batch.split)
        starts, lengths = batch.split.row_starts[batch.rows], batch.split.row_lengths[batch.rows]
        places = np.arange(batch.ids.shape[1])
        last = len(next(iter(kept.states.values()))) - 1
        index = torch.from_numpy(np.where(places < lengths[:, None], starts[:, None] + places, last))
        if not kept.ready[batch.rows].all():
            self._compute(batch, kept, index)
        return {layer: states[index].to(batch.ids.device) for layer, states in kept.states.items()}

    def _compute(self, batch: Batch, kept: Kept, index: Tensor) -> None:
        with torch.no_grad(), evaluating(self.stack.model):
            computed = run(self.stack, batch.inputs, self.layers)
        real = batch.mask.cpu()
        for layer, states in computed.items():
            kept.states[layer][index[real]] = states.to("cpu", self.dtype)[real]
        kept.ready[batch.rows] = True

    def _make_room(self, split: Split) -> Kept:
        tokens, width = int(split.row_lengths.sum()) + 1, self.stack.width
        size = tokens * width * len(self.layers) * torch.finfo(self.dtype).bits // 8
        make = self._mapped if size > IN_MEMORY else lambda rows: torch.zeros(rows, width, dtype=self.dtype)
        kept = Kept({layer: make(tokens) for layer in self.layers}, np.zeros(len(split.row_lengths), dtype=bool))
        self._kept[split] = kept
        return kept

    def _mapped(self, rows: int) -> Tensor:
        """Zeros in a temporary file, which goes when this object goes."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="isogloss-frozen-")
        number = len(list(Path(self._folder.name).iterdir()))
        path = str(Path(self._folder.name) / f"{number}.states")
        flat = torch.from_file(path, shared=True, size=rows * self.stack.width, dtype=self.dtype)
        return flat.view(rows, self.stack.width)
