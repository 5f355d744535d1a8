"""Who is nearest to whom: cosine, CSLS, inverted softmax; in blocks, so that large sets are never one matrix."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from isogloss.errors import IsoglossError
from isogloss.geometry.arrays import Indices, Matrix, as_matrix
from isogloss.geometry.chunks import csls_in_chunks

BLOCK = 2**24  # similarities at a time
CHUNK = 64
LEAST_IN_CHUNKS = 2**21  # similarities, from which on chunks are faster than one matrix (measured)


def cosine(X: Any, Y: Any) -> Matrix:
    """The cosine of every row of X with every row of Y, n x m."""
    first, second = unit_tensors(X, Y)
    return np.asarray((first @ second.T).numpy())


def nearest(X: Any, Y: Any, top: int = 10) -> tuple[Matrix, Indices]:
    """The ``top`` rows of Y nearest to each row of X by cosine: scores and indices, n x top, best first."""
    first, second = unit_tensors(X, Y)
    parts = [top_of(first[rows] @ second.T, top) for rows in row_blocks(len(first), len(second))]
    return _joined(parts)


def csls(X: Any, Y: Any, k: int = 10, top: int = 10) -> tuple[Matrix, Indices]:
    """The ``top`` rows of Y for each row of X by cross-domain similarity local scaling (Conneau et al. 2018).

    ``2 cos(x, y) - r(x) - r(y)``, where r is the mean cosine with the ``k`` nearest rows of the other side:
    hubs, which are near to everything, lose. Scores and indices are n x top, best first. Exact; one product of
    X and Y serves both means and the ranking, and large sets are never compared as one matrix.
    """
    if k < 1:
        raise IsoglossError(f"k = {k}: a neighbourhood has at least one member")
    first, second = unit_tensors(X, Y)
    if len(first) * len(second) > LEAST_IN_CHUNKS and len(second) > 2 * CHUNK * max(k, top):
        scores, indices = csls_in_chunks(first, second, k, top)
    else:
        scores, indices = top_of(csls_matrix(first @ second.T, k), top)
    return np.asarray(scores.numpy()), indices.numpy().astype(np.intp)


def inverted_softmax(X: Any, Y: Any, temperature: float = 30.0, top: int = 10) -> tuple[Matrix, Indices]:
    """The ``top`` rows of Y for each row of X by ``log [exp(t cos(x, y)) / sum over x' of exp(t cos(x', y))]``.

    The softmax runs over queries, so a hub shares its weight among all that it is near to (Smith et al. 2017).
    """
    first, second = unit_tensors(X, Y)
    blocks = list(row_blocks(len(first), len(second)))
    totals = torch.full((len(second),), -torch.inf, dtype=second.dtype)
    for rows in blocks:
        logits = temperature * (first[rows] @ second.T)
        totals = torch.logaddexp(totals, torch.logsumexp(logits, dim=0))
    return _joined([top_of(temperature * (first[rows] @ second.T) - totals, top) for rows in blocks])


def unit_tensors(X: Any, Y: Any) -> tuple[Tensor, Tensor]:
    """Both sets as tensors with rows of unit length, in one dtype; a row of zeros stays zero."""
    first, second = as_matrix(X, "X"), as_matrix(Y, "Y")
    if first.shape[1] != second.shape[1]:
        raise IsoglossError(
            f"X has {first.shape[1]} dimensions and Y has {second.shape[1]}", remedy="map one with Procrustes first"
        )
    dtype = np.result_type(first, second)
    return unit_tensor(first.astype(dtype, copy=False)), unit_tensor(second.astype(dtype, copy=False))


def unit_tensor(rows: Matrix) -> Tensor:
    """Rows at unit length, as a tensor."""
    tensor = torch.from_numpy(np.require(rows, requirements=["C", "W"]))
    return torch.nn.functional.normalize(tensor, eps=torch.finfo(tensor.dtype).tiny)


def row_blocks(n: int, m: int) -> Iterator[slice]:
    """Slices of n rows so that a block of similarities with m others stays small."""
    height = max(1, BLOCK // m)
    for start in range(0, n, height):
        yield slice(start, min(start + height, n))


def csls_matrix(similarities: Tensor, k: int) -> Tensor:
    """All CSLS scores from all cosines, ... x n x m: for sets small enough to be compared at once."""
    near_x, near_y = (mean_of_top(each, k) for each in (similarities, similarities.transpose(-1, -2)))
    return 2 * similarities - near_x[..., None] - near_y[..., None, :]


def mean_of_top(scores: Tensor, k: int) -> Tensor:
    """The mean of the k largest of each row, ... x m. (numpy's partition takes a quarter of the time of ``topk``.)"""
    k = min(k, scores.shape[-1])
    return torch.from_numpy(np.partition(scores.contiguous().numpy(), -k, axis=-1)[..., -k:].mean(axis=-1))


def top_of(scores: Tensor, top: int) -> tuple[Tensor, Tensor]:
    """Best scores and their columns, n x top. Wide blocks are first searched by the best of each chunk of columns."""
    n, m = scores.shape
    top = min(top, m)
    whole = m // CHUNK * CHUNK
    if whole <= 4 * CHUNK * top:
        best = scores.topk(top, dim=1)
        return best.values, best.indices
    chunks = scores[:, :whole].reshape(n, -1, CHUNK).amax(dim=2).topk(top, dim=1).indices
    columns = (chunks[:, :, None] * CHUNK + torch.arange(CHUNK)).flatten(1)
    tail = torch.arange(whole, m).expand(n, -1)
    columns = torch.cat([columns, tail], dim=1)
    best = scores.gather(1, columns).topk(top, dim=1)
    return best.values, columns.gather(1, best.indices)


def _joined(parts: list[tuple[Tensor, Tensor]]) -> tuple[Matrix, Indices]:
    scores, indices = (torch.cat(part).numpy() for part in zip(*parts, strict=True))
    return scores, indices.astype(np.intp)
