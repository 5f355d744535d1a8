"""Batches: drawn at random, of like length, by count or token budget; and padded into tensors."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from isogloss.tasks.heads import IGNORED
from isogloss.transfer.examples import Examples
from isogloss.transfer.settings import Settings

LEAST = {"cpu": 256, "cuda": 8192, "mps": 2048}  # tokens of a piece, below which a device is not busy
POOL = 64  # batches among which sentences are sorted by length; small enough that epochs still differ


@dataclass(frozen=True, eq=False)
class Batch:
    """Examples as tensors. ``numbers`` are their places in the part they come from, ``rows`` those of their rows."""

    ids: Tensor  # rows x time
    mask: Tensor  # rows x time, real tokens
    inside: Tensor  # rows x time, real tokens that are text
    types: Tensor | None  # rows x time
    units: Tensor  # sentences x units, places in rows * time
    unit_mask: Tensor  # sentences x units
    targets: Tensor  # sentences x units x columns
    numbers: NDArray[np.int64]
    rows: NDArray[np.int64]
    split: "Split"

    @property
    def inputs(self) -> dict[str, Any]:
        """What a transformers model is called with; the mask is left out where nothing is padded."""
        inputs: dict[str, Any] = {"input_ids": self.ids}
        if not bool(self.mask.all()):
            inputs["attention_mask"] = self.mask.long()
        if self.types is not None:
            inputs["token_type_ids"] = self.types
        return inputs

    @property
    def size(self) -> int:
        """How many units have a target."""
        return int((self.targets[..., 0] != IGNORED).sum())

    @property
    def labelled(self) -> Tensor:
        """Rows x time: the tokens that a unit with a target is read off."""
        found = torch.zeros_like(self.mask)
        found.view(-1)[self.units[self.targets[..., 0] != IGNORED]] = True
        return found


class Split:
    """A part of a language, ready to be cut into batches on a device."""

    def __init__(self, examples: Examples, pad: int, device: torch.device) -> None:
        self.examples, self.columns, self.pad, self.device = examples.items, examples.columns, pad, device
        self.first_rows = begins(self.columns.rows)
        self.first_units = begins(self.columns.units)
        self.row_lengths = self.columns.lengths
        self.row_starts = begins(self.row_lengths)  # in all tokens of the part, one after the other
        self.lengths = np.array([example.length for example in self.examples], dtype=np.int64)

    def __len__(self) -> int:
        return len(self.examples)

    def shuffled(self, settings: Settings, epoch: int) -> list[NDArray[np.int64]]:
        """The batches of one epoch, as places; the same for the same seed and epoch."""
        rng = np.random.default_rng((settings.seed, epoch))
        order = rng.permutation(len(self))
        if not settings.sort:
            return self._cut(order, settings)
        size = POOL * settings.batch
        pools = [order[start : start + size] for start in range(0, len(order), size)]
        batches = [
            batch
            for pool in pools
            for batch in self._cut(pool[np.argsort(self.lengths[pool], kind="stable")], settings)
        ]
        return [batches[place] for place in rng.permutation(len(batches))]

    def in_order(self, budget: int) -> list[NDArray[np.int64]]:
        """All examples in pieces of at most ``budget`` tokens, longest first: too long a one fails at once."""
        return self.pieces(np.arange(len(self)), budget)

    def pieces(self, places: NDArray[np.int64], budget: int | None = None) -> list[NDArray[np.int64]]:
        """``places`` in pieces of like length, so that little is padded; the gradient of the whole is their sum."""
        order = places[np.argsort(-self.lengths[places], kind="stable")]
        return list(cut_by_length(order, self.lengths, budget, LEAST.get(self.device.type, LEAST["cuda"])))

    def collate(self, places: NDArray[np.int64]) -> Batch:
        """The examples at ``places``, padded on the right."""
        rows = in_runs(self.first_rows[places], self.columns.rows[places])
        ids, mask, inside, types = self._pad_rows(rows)
        units, unit_mask, targets = self._pad_units(places, mask.shape[1])
        return Batch(
            ids=self._tensor(ids),
            mask=self._tensor(mask),
            inside=self._tensor(inside),
            types=None if types is None else self._tensor(types),
            units=self._tensor(units),
            unit_mask=self._tensor(unit_mask),
            targets=self._tensor(targets),
            numbers=places,
            rows=rows,
            split=self,
        )

    def _pad_rows(
        self, rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_], NDArray[np.int64] | None]:
        """Ids, masks of real and of text tokens, and types: rows x time each."""
        lengths, (first, last) = self.row_lengths[rows], self.columns.inside[rows].T[..., None]
        steps = np.arange(lengths.max())
        mask = steps < lengths[:, None]
        tokens = in_runs(self.row_starts[rows], lengths)
        ids = np.full(mask.shape, self.pad, dtype=np.int64)
        ids[mask] = self.columns.ids[tokens]
        types = None if self.columns.types is None else np.zeros(mask.shape, dtype=np.int64)
        if types is not None and self.columns.types is not None:
            types[mask] = self.columns.types[tokens]
        return ids, mask, (first <= steps) & (steps < last), types

    def _pad_units(self, places: NDArray[np.int64], time: int) -> tuple[NDArray[Any], ...]:
        """Places of units in rows * time, which of them are real, and their targets."""
        sizes, rows = self.columns.units[places], begins(self.columns.rows[places])
        real = np.arange(sizes.max()) < sizes[:, None]
        chosen = in_runs(self.first_units[places], sizes)
        row, token = self.columns.places[chosen].T
        units = np.zeros(real.shape, dtype=np.int64)
        units[real] = (np.repeat(rows, sizes) + row) * time + token
        targets = np.full((*real.shape, self.columns.targets.shape[1]), IGNORED, dtype=np.int64)
        targets[real] = self.columns.targets[chosen]
        return units, real, targets

    def _tensor(self, array: NDArray[Any]) -> Tensor:
        return torch.from_numpy(array).to(self.device, non_blocking=True)

    def _cut(self, order: NDArray[np.int64], settings: Settings) -> list[NDArray[np.int64]]:
        if settings.batch_tokens is not None:
            return list(cut_by_tokens(order, self.lengths, settings.batch_tokens))
        return [order[start : start + settings.batch] for start in range(0, len(order), settings.batch)]


def cut_by_length(
    order: NDArray[np.int64], lengths: NDArray[np.int64], budget: int | None, least: int
) -> Iterator[NDArray[np.int64]]:
    """Runs of ``order``, which goes from long to short: a run ends at ``budget`` tokens, or, once it has ``least``,
    where a sentence would be more than a fifth padding."""
    start = 0
    for end, place in enumerate(order):
        longest, size = int(lengths[order[start]]), end - start
        full = budget is not None and longest * (size + 1) > budget
        if size and (full or (longest * size >= least and lengths[place] < 0.8 * longest)):
            yield order[start:end]
            start = end
    if start < len(order):
        yield order[start:]


def cut_by_tokens(order: NDArray[np.int64], lengths: NDArray[np.int64], budget: int) -> Iterator[NDArray[np.int64]]:
    """Runs of ``order`` that hold at most ``budget`` tokens with their padding; a longer sentence stands alone."""
    start, longest = 0, 0
    for end, place in enumerate(order):
        longest = max(longest, int(lengths[place]))
        if end > start and longest * (end + 1 - start) > budget:
            yield order[start:end]
            start, longest = end, int(lengths[place])
    if start < len(order):
        yield order[start:]


def begins(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of several runs, one after the other, begins."""
    return np.cumsum(sizes) - sizes


def in_runs(starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """All places of runs that begin at ``starts``, one run after the other."""
    return np.repeat(starts - begins(sizes), sizes) + np.arange(sizes.sum())
