"""Features of row sets that several blocks share: a language in many pairs is read, and multiplied out, once."""

import math
import threading
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from isogloss.errors import IsoglossError
from isogloss.geometry.arrays import Indices
from isogloss.probes.logistic.objective import products
from isogloss.probes.logistic.plan import Block

_SAMPLE = 512  # rows from which the common shift of shared parts is estimated
_ROOM = 1 << 28  # numbers kept at most: one gigabyte in single precision
Key = tuple[int, int, tuple[int, ...]]


@dataclass(frozen=True)
class Part:
    """Some rows, column by column."""

    features: Tensor  # D x n: ones for the intercept, then the features less ``shift``
    shift: Tensor  # D - 1
    gram: Tensor | None  # D x D, lower half of the features' products, for parts that come again


class Parts:
    """Reads parts, and keeps those that another block will ask for again, until the last has asked."""

    def __init__(self, blocks: Iterable[Block], dtype: torch.dtype) -> None:
        self._dtype = dtype
        self._uses: Counter[Key] = Counter()
        room = 0
        for block in blocks:
            for key, rows in zip(_keys(block), block.members[0].labels.parts, strict=True):
                self._uses[key] += 1
                room += len(rows) * (len(block.order) + 1) if self._uses[key] == 2 else 0
        if room > _ROOM:
            self._uses.clear()
        self._left = self._uses.copy()
        self._kept: dict[Key, Part] = {}
        self._desk = threading.local()
        self._shifts: dict[tuple[int, tuple[int, ...]], Tensor] = {}

    def of(self, block: Block) -> list[Part]:
        """The features of a block, in one part or in several with the same shift."""
        labels, X, order = block.members[0].labels, block.members[0].problem.X, block.order
        keys = _keys(block)
        if max(self._uses[key] for key in keys) < 2:
            return [read_part(X, labels.train, order, self._dtype)]
        place = (id(X), tuple(order))
        if place not in self._shifts:
            self._shifts[place] = _common_shift(X, order)
        found = []
        for key, rows in zip(keys, labels.parts, strict=True):
            part = self._kept.get(key)
            if part is None:
                part = with_gram(read_part(X, rows, order, self._dtype, self._shifts[place]))
            self._left[key] -= 1
            if self._left[key] > 0:
                self._kept[key] = part
            else:
                self._kept.pop(key, None)
            found.append(part)
        return found

    def desk(self, *shape: int) -> Tensor:
        """Memory of that shape, not set to anything and this thread's own, until it asks again.

        Fresh memory for every chunk would cost as much as filling it.
        """
        wanted = math.prod(shape)
        if not hasattr(self._desk, "memory") or self._desk.memory.numel() < wanted:
            self._desk.memory = torch.empty(wanted, dtype=self._dtype)
        memory: Tensor = self._desk.memory[:wanted]
        return memory.view(shape)


def _keys(block: Block) -> list[Key]:
    X, order = block.members[0].problem.X, tuple(block.order)
    return [(id(X), id(rows), order) for rows in block.members[0].labels.parts]


def read_part(X: Any, rows: Indices, order: list[int], dtype: torch.dtype, shift: Tensor | None = None) -> Part:
    """Rows and columns of ``X`` less ``shift``, or less their own means.

    A shift changes only the intercept, which is not penalised, and keeps large offsets out of the products.
    """
    values = gather(X, rows, order)
    means = values.mean(dim=0)
    if not bool(torch.isfinite(means).all()):
        bad = (~torch.isfinite(values).all(dim=1)).nonzero()
        if len(bad):
            remedy = "drop this row, or fix it"
            raise IsoglossError("NaN or infinity in X", where=f"row {rows[int(bad[0])]}", remedy=remedy)
        means = values.double().mean(dim=0).to(values.dtype)
    shift = means if shift is None else shift
    features = torch.ones(len(order) + 1, len(rows), dtype=dtype)
    features[1:] = values.T.to(torch.promote_types(dtype, values.dtype)).sub(shift[:, None])
    return Part(features, shift, None)


def with_gram(part: Part) -> Part:
    """The same part with the products of its features."""
    features = part.features[None]
    return Part(part.features, part.shift, products(features, torch.ones_like(features[:, 0]))[0])


def _common_shift(X: Any, order: list[int]) -> Tensor:
    """About the means of the columns, from rows spread over all of ``X``."""
    rows = np.unique(np.linspace(0, len(X) - 1, _SAMPLE).astype(np.intp))
    values = gather(X, rows, order)
    return torch.where(torch.isfinite(values), values, 0.0).mean(dim=0)


def gather(X: Any, rows: Indices, order: list[int]) -> Tensor:
    """``X[rows][:, order]`` as single or double floats, by a plain slice where the columns are consecutive."""
    consecutive = order == list(range(order[0], order[0] + len(order)))
    part = X[:, order[0] : order[0] + len(order)][rows] if consecutive else X[rows][:, order]
    tensor = part.detach().cpu() if isinstance(part, Tensor) else torch.from_numpy(np.ascontiguousarray(part))
    if tensor.dtype in (torch.float32, torch.float64):
        return tensor
    return tensor.float() if tensor.is_floating_point() else tensor.double()
