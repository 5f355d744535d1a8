"""Exact CSLS of large sets from one product.

CSLS needs three searches: the neighbourhood of every x, of every y, and the final ranking, which depends on the
other two. One pass over ``X Y^T`` keeps only the largest cosine in each chunk of g columns, and in each chunk
of g rows. Those maxima are an index: the k best of a row lie in its k best chunks, which are compared again,
and a chunk's maximum bounds every score in it. Work is one product and a little; memory is ``2 n m / g``
numbers, and g grows with the sets.
"""

import torch
from torch import Tensor

INDEX_NUMBERS = 2**27  # maxima that may be kept, both ways together: 512 MB in float32
TILE = 2048, 8192  # rows and columns of one product
PANEL = 4096  # rows that are ranked together
FIRST_CHUNKS = 16
FEW_CHUNKS = 4  # for a single answer
WORTH = 4  # times as dear, by the number, as one product with everything: choosing chunks, gathering, scattering
BLOCK_NUMBERS = 2**20  # of such a product at a time: 4 MB, which stays in the processor's cache


def csls_in_chunks(X: Tensor, Y: Tensor, k: int, top: int) -> tuple[Tensor, Tensor]:
    """CSLS of unit rows: scores and indices, n x top."""
    k_x, k_y, top = min(k, len(Y)), min(k, len(X)), min(top, len(Y))
    width = chunk_width(len(X), len(Y))
    # near-hubs stand together, so that a chunk's least hubness bounds it well
    order = (Y @ X.mean(dim=0)).argsort()
    xs, ys = Chunks(X, width), Chunks(Y[order], width)
    of_rows, of_columns = chunk_maxima(xs, ys)
    near_x = neighbourhood_means(X, ys, of_rows, k_x)
    near_y = neighbourhood_means(ys.rows[: ys.count], xs, of_columns, k_y)
    del of_columns
    parts = [
        rank(X[start : start + PANEL], ys, of_rows[start : start + PANEL], near_y, top)
        for start in range(0, len(X), PANEL)
    ]
    scores, places = (torch.cat(part) for part in zip(*parts, strict=True))
    return scores - near_x[:, None], order[places]


class Chunks:
    """Rows in chunks of equal width; the last is filled up with copies of the last row, which are never answers."""

    def __init__(self, rows: Tensor, width: int) -> None:
        self.count, self.width = len(rows), width
        self.size = -(-len(rows) // width)
        self.missing = self.size * width - len(rows)
        self.rows = torch.cat([rows, rows[-1:].expand(self.missing, -1)]) if self.missing else rows

    def compare(self, queries: Tensor, chosen: Tensor) -> Tensor:
        """Cosines of each query with all rows of its ``chosen`` chunks (q x t), q x t x width.

        Queries are sorted by chunk, so that each chunk is one small product with all that chose it.
        """
        order = chosen.flatten().argsort(stable=True)
        by_chunk = queries[order.div(chosen.shape[1], rounding_mode="floor")]
        products = queries.new_empty(len(order), self.width)
        start = 0
        for chunk, size in enumerate(torch.bincount(chosen.flatten(), minlength=self.size).tolist()):
            rows = self.rows[chunk * self.width : (chunk + 1) * self.width]
            torch.mm(by_chunk[start : start + size], rows.T, out=products[start : start + size])
            start += size
        values = torch.empty_like(products)
        values[order] = products
        values = values.view(*chosen.shape, self.width)
        if self.missing:
            values[chosen == self.size - 1, self.width - self.missing :] = -torch.inf
        return values

    def by_chunk(self, values: Tensor) -> Tensor:
        """One value a row, filled up and arranged as chunks x width."""
        return torch.cat([values, values[-1:].expand(self.missing)]).view(self.size, self.width)


def chunk_width(n: int, m: int) -> int:
    width = 32
    while 2 * n * m / width > INDEX_NUMBERS:
        width *= 2
    return width


def chunk_maxima(xs: Chunks, ys: Chunks) -> tuple[Tensor, Tensor]:
    """The largest cosine of each x with each chunk of Y, n x chunks, and of each y with each chunk of X, m x chunks."""
    height, breadth = (-(-size // xs.width) * xs.width for size in TILE)
    of_rows = xs.rows.new_empty(len(xs.rows), ys.size)
    of_columns = xs.rows.new_empty(xs.size, len(ys.rows))
    buffer = xs.rows.new_empty(height * breadth)  # one for all tiles: fresh memory costs a fifth of the time
    for top in range(0, len(xs.rows), height):
        rows = xs.rows[top : top + height]
        for left in range(0, len(ys.rows), breadth):
            columns = ys.rows[left : left + breadth]
            tile = buffer[: len(rows) * len(columns)].view(len(rows), len(columns))
            torch.mm(rows, columns.T, out=tile)
            across = slice(left // ys.width, left // ys.width + tile.shape[1] // ys.width)
            down = slice(top // xs.width, top // xs.width + tile.shape[0] // xs.width)
            of_rows[top : top + height, across] = tile.view(len(tile), -1, ys.width).amax(dim=2)
            of_columns[down, left : left + breadth] = tile.view(-1, xs.width, tile.shape[1]).amax(dim=1)
    return of_rows[: xs.count], of_columns.T[: ys.count]


def neighbourhood_means(queries: Tensor, others: Chunks, maxima: Tensor, k: int) -> Tensor:
    """The mean cosine of each query with its k nearest rows: they lie in the k chunks with the largest maxima."""
    means = []
    for start in range(0, len(queries), PANEL):
        part = slice(start, start + PANEL)
        chosen = maxima[part].topk(min(k, others.size), dim=1).indices
        values = others.compare(queries[part], chosen).flatten(1)
        means.append(values.topk(k, dim=1).values.mean(dim=1))
    return torch.cat(means)


def rank(queries: Tensor, ys: Chunks, maxima: Tensor, near_y: Tensor, top: int) -> tuple[Tensor, Tensor]:
    """The best ``2 cos - r(y)`` of each query, q x top, looking into ever more chunks until no other can do better.

    Where vectors crowd together, bounds tell little: rows that are still open when so many chunks would be looked into
    that a product with all is cheaper get that product.
    """
    penalties = ys.by_chunk(near_y)
    bounds = 2 * maxima - penalties.amin(dim=1)
    scores = queries.new_empty(len(queries), top)
    places = torch.empty(len(queries), top, dtype=torch.long)
    open_rows, looked = torch.arange(len(queries)), max(FIRST_CHUNKS, top) if top > 1 else FEW_CHUNKS
    while len(open_rows):
        looked = min(looked, ys.size)
        if WORTH * looked >= ys.size:
            scores[open_rows], places[open_rows] = rank_all(queries[open_rows], ys, near_y, top)
            break
        best = bounds[open_rows].topk(min(looked + 1, ys.size), dim=1)
        chosen = best.indices[:, :looked].contiguous()
        candidates = 2 * ys.compare(queries[open_rows], chosen) - penalties[chosen]
        found = candidates.flatten(1).topk(top, dim=1)
        chunk = chosen.gather(1, found.indices.div(ys.width, rounding_mode="floor"))
        scores[open_rows], places[open_rows] = found.values, chunk * ys.width + found.indices % ys.width
        beaten = best.values[:, looked] > found.values[:, -1] if looked < ys.size else open_rows < 0
        open_rows, looked = open_rows[beaten], looked * 4
    return scores, places


def rank_all(queries: Tensor, ys: Chunks, near_y: Tensor, top: int) -> tuple[Tensor, Tensor]:
    """The same by comparing each query with everything, a block at a time."""
    rows, columns, parts = max(1, BLOCK_NUMBERS // ys.count), ys.rows[: ys.count].T, []
    buffer = queries.new_empty(rows, ys.count)
    for start in range(0, len(queries), rows):
        some = queries[start : start + rows]
        found = torch.addmm(near_y, some, columns, beta=-1, alpha=2, out=buffer[: len(some)])
        parts.append(found.max(dim=1, keepdim=True) if top == 1 else found.topk(top, dim=1))
    scores, places = (torch.cat(part) for part in zip(*parts, strict=True))
    return scores, places
