"""What ``retrieval`` asks of all cosines of two large sets, without ever holding them: memory is linear in the rows.

One product in tiles leaves the largest cosine of each row and column with each chunk of the other side
(``chunks``). Who is nearest, neighbourhoods and CSLS are then read off a few chunks of each row.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from isogloss.geometry.chunks import PANEL, Chunks, chunk_maxima, chunk_width, neighbourhood_means, rank


class Side(NamedTuple):
    """One language as the other's queries: rows by hubness, and where each one's translation stands over there."""

    rows: Tensor  # n x d
    order: Tensor  # n; the number of each row before sorting
    own: Tensor  # n; the place of its translation among the other side's sorted rows


class Wins(NamedTuple):
    """For each row, in its first order: its translation is the nearest row, and nearer than every other one."""

    first: Tensor
    alone: Tensor


def compare_large(X: Tensor, Y: Tensor, k: int, csls: bool = True) -> tuple[Tensor, Tensor]:
    """The scores of ``retrieval.SCORES`` for unit rows of a source and of its translations, n x d each (without
    ``csls``, NaN for its two); and of each row in how many directions its translation was found (0, 1, 2)."""
    n = len(X)
    source, target = _sides(X, Y)
    xs, ys = (Chunks(side.rows, chunk_width(n, n)) for side in (source, target))
    of_rows, of_columns = chunk_maxima(xs, ys)
    forward, backward = _wins(source, target, ys, of_rows), _wins(target, source, xs, of_columns)
    by_csls = [torch.full((1,), torch.nan)] * 2
    if csls:
        near_x = neighbourhood_means(source.rows, ys, of_rows, min(k, n))
        near_y = neighbourhood_means(target.rows, xs, of_columns, min(k, n))
        by_csls = [_found(source, ys, of_rows, near_y), _found(target, xs, of_columns, near_x)]
    own = (X * Y).sum(dim=1, dtype=torch.float64)
    total = X.sum(dim=0, dtype=torch.float64) @ Y.sum(dim=0, dtype=torch.float64)
    shares = [forward.first, backward.first, *by_csls, forward.alone & backward.alone]
    others = (total - own.sum()) / (n * (n - 1) or torch.nan)
    scores = torch.stack([*(share.double().mean() for share in shares), own.mean(), others])
    return scores, forward.first.to(torch.int8) + backward.first.to(torch.int8)


def _sides(X: Tensor, Y: Tensor) -> tuple[Side, Side]:
    """Near-hubs stand together, so that a chunk's least hubness bounds all of it well."""
    order_x, order_y = (X @ Y.mean(dim=0)).argsort(), (Y @ X.mean(dim=0)).argsort()
    place_x, place_y = order_x.argsort(), order_y.argsort()
    return Side(X[order_x], order_x, place_y[order_x]), Side(Y[order_y], order_y, place_x[order_y])


def _wins(side: Side, other: Side, chunks: Chunks, maxima: Tensor) -> Wins:
    """A row's nearest and second nearest lie in its two best chunks; of equals the first one wins, as in argmax."""
    first, alone = (torch.empty(len(side.rows), dtype=torch.bool) for _ in range(2))
    for start in range(0, len(side.rows), PANEL):
        part = slice(start, start + PANEL)
        chosen = maxima[part].topk(min(2, chunks.size), dim=1).indices
        values = chunks.compare(side.rows[part], chosen).flatten(1)
        places = (chosen[:, :, None] * chunks.width + torch.arange(chunks.width)).flatten(1)
        is_own = places == side.own[part, None]
        own = values.masked_fill(~is_own, -torch.inf).amax(dim=1)
        others = values.masked_fill(is_own, -torch.inf)
        best = others.amax(dim=1)
        equals = (others == own[:, None]) & (places < chunks.count)
        numbers = other.order[places.clamp(max=chunks.count - 1)]
        before = (equals & (numbers < side.order[part, None])).any(dim=1)
        number = side.order[part]
        first[number] = (own > best) | ((own == best) & own.isfinite() & ~before)
        alone[number] = own > best
    return Wins(first, alone)


def _found(side: Side, chunks: Chunks, maxima: Tensor, near: Tensor) -> Tensor:
    """Whether each row finds its translation by CSLS, in the sorted order."""
    found = [
        rank(side.rows[start : start + PANEL], chunks, maxima[start : start + PANEL], near, 1)[1][:, 0]
        for start in range(0, len(side.rows), PANEL)
    ]
    return torch.cat(found) == side.own
