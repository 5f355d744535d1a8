"""Batches: drawn at random, of like length, by count or token budget; and padded into tensors."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from isogloss.tasks.heads import IGNORED
from isogloss.transfer.examples import Example, Examples, Row
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
        self.examples, self.pad, self.device = examples.items, pad, device
        self.lengths = np.array([example.length for example in self.examples], dtype=np.int64)
        rows = np.array([len(example.rows) for example in self.examples], dtype=np.int64)
        self.first_rows = np.cumsum(rows) - rows
        self.row_lengths = np.array([len(row.ids) for example in self.examples for row in example.rows], dtype=np.int64)
        self.row_starts = (
            np.cumsum(self.row_lengths) - self.row_lengths
        )  # in all tokens of the part, one after the other

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
        examples = [self.examples[place] for place in places]
        rows = [row for example in examples for row in example.rows]
        time = max(len(row.ids) for row in rows)
        numbers = [self.first_rows[place] + np.arange(len(self.examples[place].rows)) for place in places]
        ids, mask, inside, types = _pad_rows(rows, time, self.pad)
        units, unit_mask, targets = _pad_units(examples, time)
        return Batch(
            ids=self._tensor(ids),
            mask=self._tensor(mask),
            inside=self._tensor(inside),
            types=None if types is None else self._tensor(types),
            units=self._tensor(units),
            unit_mask=self._tensor(unit_mask),
            targets=self._tensor(targets),
            numbers=places,
            rows=np.concatenate(numbers),
            split=self,
        )

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


def _pad_rows(
    rows: Sequence[Row], time: int, pad: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_], NDArray[np.int64] | None]:
    """Ids, masks of real and of text tokens, and types: rows x time each."""
    ids = np.full((len(rows), time), pad, dtype=np.int64)
    mask, inside = np.zeros((2, len(rows), time), dtype=bool)
    types = None if rows[0].types is None else np.zeros((len(rows), time), dtype=np.int64)
    for line, row in enumerate(rows):
        ids[line, : len(row.ids)] = row.ids
        mask[line, : len(row.ids)] = True
        inside[line, row.inside[0] : row.inside[1]] = True
        if types is not None and row.types is not None:
            types[line, : len(row.ids)] = row.types
    return ids, mask, inside, types


def _pad_units(examples: Sequence[Example], time: int) -> tuple[NDArray[Any], ...]:
    """Places of units in rows * time, which of them are real, and their targets."""
    width = max(len(example.units) for example in examples)
    units = np.zeros((len(examples), width), dtype=np.int64)
    real = np.zeros((len(examples), width), dtype=bool)
    targets = np.full((len(examples), width, examples[0].targets.shape[1]), IGNORED, dtype=np.int64)
    first = 0
    for line, example in enumerate(examples):
        size = len(example.units)
        units[line, :size] = (first + example.units[:, 0]) * time + example.units[:, 1]
        real[line, :size] = True
        targets[line, :size] = example.targets
        first += len(example.rows)
    return units, real, targets
