"""One pool of all languages: what each sentence finds, in which language, and which sentences everything finds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from isogloss.geometry.neighbours import row_blocks, unit_tensor

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PoolFound:
    """For K languages of n sentences each, row i the same sentence in all; a query never finds itself."""

    found: Floats  # K x n; whether the nearest is a translation
    own: Floats  # K x n; the share of the nearest ``top`` in the query's own language
    shares: Floats  # K x K; the share of the nearest ``top`` by language of query and of document
    counts: NDArray[np.int64]  # K x n; among the nearest of how many queries a sentence is
    nearest: NDArray[np.int64]  # K x n; the number of the nearest, language * n + sentence
    likeness: Floats  # K x n; the cosine with it
    translation: Floats  # K x n; the highest cosine with a translation
    unrelated: Floats  # K x n; the highest cosine with a sentence that is no translation

    @property
    def chance(self) -> float:
        """The share of the pool that is in a query's own language."""
        languages, n = self.found.shape
        return float((n - 1) / (languages * n - 1))


def search_pool(vectors: Sequence[Any], top: int = 10, *, csls: bool = False, k: int = 10) -> PoolFound:
    """Search for every sentence among all others by cosine, or by CSLS; in blocks, exact."""
    languages, n = len(vectors), len(vectors[0])
    rows = unit_tensor(np.concatenate([np.asarray(one, dtype=np.float32) for one in vectors]))
    total = len(rows)
    sentence, language = torch.arange(total) % n, torch.arange(total) // n
    hubness = _hubness(rows, k) if csls else torch.zeros(total)
    nearest = torch.empty((total, min(top, total - 1)), dtype=torch.long)
    likeness, translation, unrelated = (torch.empty(total) for _ in range(3))
    for block in row_blocks(total, total):
        queries = torch.arange(total)[block]
        cosines = rows[block] @ rows.T
        cosines[torch.arange(len(queries)), queries] = -torch.inf
        same = sentence[queries][:, None] == sentence[None]
        translation[block] = cosines.masked_fill(~same, -torch.inf).amax(dim=1)
        unrelated[block] = cosines.masked_fill(same, -torch.inf).amax(dim=1)
        order = (2 * cosines - hubness).topk(nearest.shape[1], dim=1).indices
        nearest[block] = order
        likeness[block] = cosines.gather(1, order[:, :1])[:, 0]
    told = language[nearest]  # total x top
    own = (told == language[:, None]).double().mean(dim=1)
    shares = torch.stack([(told == one).double().mean(dim=1) for one in range(languages)], dim=1)
    counts = torch.bincount(nearest.flatten(), minlength=total)
    first = nearest[:, 0]
    shape = (languages, n)
    return PoolFound(
        found=(sentence[first] == sentence).double().numpy().reshape(shape),
        own=own.numpy().reshape(shape),
        shares=shares.reshape(languages, n, languages).mean(dim=1).numpy(),
        counts=counts.numpy().reshape(shape),
        nearest=first.numpy().reshape(shape),
        likeness=likeness.double().numpy().reshape(shape),
        translation=translation.double().numpy().reshape(shape),
        unrelated=unrelated.double().numpy().reshape(shape),
    )


def _hubness(rows: torch.Tensor, k: int) -> torch.Tensor:
    """The mean cosine of each row with its k nearest others: what CSLS takes off."""
    means = torch.empty(len(rows))
    for block in row_blocks(len(rows), len(rows)):
        queries = torch.arange(len(rows))[block]
        cosines = rows[block] @ rows.T
        cosines[torch.arange(len(queries)), queries] = -torch.inf
        means[block] = cosines.topk(min(k, len(rows) - 1), dim=1).values.mean(dim=1)
    return means
