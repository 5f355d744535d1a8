"""States that do not change in training are computed once: kept by sentence, in memory or in a mapped file."""

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from isogloss.transfer.batches import Batch, Split

IN_MEMORY = 4 * 2**30  # bytes of one part's states kept in memory; above, a file that the system maps
Compute = Callable[[Batch], Mapping[int, Tensor]]  # layer -> rows x time x width


@dataclass(eq=False)
class Kept:
    """States of one part: by layer all tokens one after the other, and which rows are there."""

    states: dict[int, Tensor]  # tokens + 1 x width; the last row stays zero, for padding
    ready: NDArray[np.bool_]


class Keeper:
    """What ``compute`` gives for a batch, computed when a sentence is seen for the first time."""

    def __init__(self, compute: Compute, widths: Mapping[int, int], dtype: torch.dtype) -> None:
        self.compute, self.widths, self.dtype = compute, widths, dtype
        self._kept: WeakKeyDictionary[Split, Kept] = WeakKeyDictionary()
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def of(self, batch: Batch) -> dict[int, Tensor]:
        """States of a batch by layer (rows x time x width), zero where padding is."""
        kept = self._kept.get(batch.split) or self._make_room(batch.split)
        starts, lengths = batch.split.row_starts[batch.rows], batch.split.row_lengths[batch.rows]
        places = np.arange(batch.ids.shape[1])
        zero = int(batch.split.row_lengths.sum())
        index = torch.from_numpy(np.where(places < lengths[:, None], starts[:, None] + places, zero))
        if not kept.ready[batch.rows].all():
            self._fill(batch, kept, index)
        return {layer: states[index].to(batch.ids.device) for layer, states in kept.states.items()}

    def _fill(self, batch: Batch, kept: Kept, index: Tensor) -> None:
        real = batch.mask.cpu()
        with torch.no_grad():
            for layer, states in self.compute(batch).items():
                kept.states[layer][index[real]] = states.to("cpu", self.dtype)[real]
        kept.ready[batch.rows] = True

    def _make_room(self, split: Split) -> Kept:
        rows = int(split.row_lengths.sum()) + 1
        size = rows * sum(self.widths.values()) * torch.finfo(self.dtype).bits // 8
        make = self._mapped if size > IN_MEMORY else self._zeros
        states = {layer: make(rows, width) for layer, width in self.widths.items()}
        kept = self._kept[split] = Kept(states, np.zeros(len(split.row_lengths), dtype=bool))
        return kept

    def _zeros(self, rows: int, width: int) -> Tensor:
        return torch.zeros(rows, width, dtype=self.dtype)

    def _mapped(self, rows: int, width: int) -> Tensor:
        """Zeros in a temporary file, which goes when this object goes."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="isogloss-states-")
        path = Path(self._folder.name) / f"{len(list(Path(self._folder.name).iterdir()))}.states"
        return torch.from_file(str(path), shared=True, size=rows * width, dtype=self.dtype).view(rows, width)
