"""Retrieval of translations for many layers and language pairs: one product a variant serves all questions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, groupby
from operator import itemgetter
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from isogloss.errors import IsoglossError, unknown_name
from isogloss.geometry.arrays import Matrix, as_matrix
from isogloss.geometry.large_retrieval import compare_large
from isogloss.geometry.neighbours import BLOCK, csls_matrix, unit_tensor

VARIANTS = ("raw", "centred", "standardised")
LARGE = 2048  # rows beyond which cosines are not held as one matrix
SCORES = ("forward", "backward", "csls_forward", "csls_backward", "mexa", "cosine", "cosine_others")


@dataclass(frozen=True, slots=True)
class Retrieval:
    """How well translations find each other at one layer, for one pair of languages and one variant of the
    vectors.

    Precision at 1 both ways, by cosine and by CSLS; ``mexa`` is the share of pairs that are each other's
    nearest neighbour with no tie (Kargaran et al. 2024); ``cosine`` is the mean over translations,
    ``cosine_others`` over all other pairs. ``found`` says of each sentence in how many of the two directions its
    translation was found by cosine (0, 1, 2), for intervals over sentences.
    """

    layer: int
    source: str
    target: str
    variant: str
    forward: float
    backward: float
    csls_forward: float
    csls_backward: float
    mexa: float
    cosine: float
    cosine_others: float
    n: int
    found: NDArray[np.int8] = field(default_factory=lambda: np.zeros(0, np.int8), repr=False, compare=False)


def retrieval_grid(
    states: Iterable[Mapping[str, Any]],
    pairs: Sequence[tuple[str, str]] | None = None,
    variants: Sequence[str] = VARIANTS,
    k: int = 10,
    csls: bool = True,
) -> list[Retrieval]:
    """Retrieval for every layer, pair and variant; without ``csls`` its two precisions are NaN and cost nothing.

    ``states`` yields for each layer a mapping from language to rows ``n x d``, row i the same sentence in all.
    ``pairs`` default to all. Variants: ``raw``; ``centred``, minus each language's mean; ``standardised``, each
    dimension at mean zero and variance one in each language, so that no rogue dimension decides.
    """
    unknown = [variant for variant in variants if variant not in VARIANTS]
    if unknown:
        raise unknown_name("variant", unknown[0], VARIANTS)
    results: list[Retrieval] = []
    for layer, by_language in enumerate(states):
        chosen = list(combinations(by_language, 2)) if pairs is None else list(pairs)
        results.extend(_layer_results(layer, by_language, chosen, variants, k, csls))
    return results


def _layer_results(
    layer: int,
    states: Mapping[str, Any],
    pairs: Sequence[tuple[str, str]],
    variants: Sequence[str],
    k: int,
    csls: bool,
) -> Iterator[Retrieval]:
    languages = sorted({language for pair in pairs for language in pair})
    missing = [language for language in languages if language not in states]
    if missing:
        raise unknown_name("language", missing[0], states, where=f"layer {layer}")
    rows = {language: as_matrix(states[language], f"layer {layer}, {language}") for language in languages}
    if len({len(one) for one in rows.values()}) > 1:
        sizes = {language: len(one) for language, one in rows.items()}
        raise IsoglossError(f"languages have different numbers of rows: {sizes}", where=f"layer {layer}")
    place = {language: number for number, language in enumerate(languages)}
    n = len(rows[languages[0]])
    for variant in variants:
        units = torch.stack([unit_tensor(_vary(rows[language], variant)) for language in languages])  # K x n x d
        if n > LARGE:
            for source, target in pairs:
                scores, rows_found = compare_large(units[place[source]], units[place[target]], k, csls)
                yield Retrieval(layer, source, target, variant, **_named(scores), n=n, found=rows_found.numpy())
            continue
        for source, targets in _batches(pairs, n):
            others = units[[place[target] for target in targets]]
            similarities = (others.flatten(0, 1) @ units[place[source]].T).view(len(targets), n, n)
            hits = (_hits(similarities, 1).to(torch.int8) + _hits(similarities, 2).to(torch.int8)).numpy()
            for target, scores, found in zip(targets, _compare(similarities, k, csls), hits, strict=True):
                yield Retrieval(layer, source, target, variant, **_named(scores), n=n, found=found)


def _named(scores: Tensor) -> dict[str, float]:
    return dict(zip(SCORES, scores.tolist(), strict=True))


def _batches(pairs: Sequence[tuple[str, str]], n: int) -> Iterator[tuple[str, list[str]]]:
    """Pairs of one source together, as many as may be compared at once."""
    size = max(1, BLOCK // (n * n))
    for source, group in groupby(pairs, key=itemgetter(0)):
        targets = [target for _, target in group]
        for start in range(0, len(targets), size):
            yield source, targets[start : start + size]


def _vary(rows: Matrix, variant: str) -> Matrix:
    if variant == "raw":
        return rows
    centred = rows - rows.mean(axis=0, dtype=np.float64).astype(rows.dtype)
    if variant == "centred":
        return np.asarray(centred)
    spread = centred.std(axis=0)
    return np.asarray(centred / np.where(spread > 0, spread, 1))


def _compare(similarities: Tensor, k: int, csls: bool = True) -> Tensor:
    """What matrices of cosines say, T x n (target) x n (source): precision from the source and from the target, the
    same by CSLS, MEXA, and mean cosines, as in ``SCORES``; T x 7.
    """
    n = similarities.shape[-1]
    own = similarities.diagonal(dim1=1, dim2=2).double()
    others = (similarities.sum(dim=(1, 2), dtype=torch.float64) - own.sum(dim=1)) / (n * (n - 1) or torch.nan)
    found = [_found(similarities, dim) for dim in (1, 2)]
    if csls:
        hubness_free = csls_matrix(similarities, k)
        found += [_found(hubness_free, dim) for dim in (1, 2)]
    else:
        found += [torch.full_like(own[:, 0], torch.nan)] * 2
    return torch.stack([*found, _mutual(similarities), own.mean(dim=1), others], dim=1)


def _found(scores: Tensor, dim: int) -> Tensor:
    """The share of columns (dim 1) or rows (dim 2) whose largest score is the one on the diagonal, T."""
    return _hits(scores, dim).double().mean(dim=1)


def _hits(scores: Tensor, dim: int) -> Tensor:
    """Whether the largest score of each column (dim 1) or row (dim 2) is the one on the diagonal, T x n."""
    return scores.argmax(dim=dim) == torch.arange(scores.shape[-1])


def _mutual(similarities: Tensor) -> Tensor:
    own, others = similarities.diagonal(dim1=-2, dim2=-1), similarities.clone()
    others.diagonal(dim1=-2, dim2=-1).fill_(-torch.inf)
    return ((own > others.amax(dim=-1)) & (own > others.amax(dim=-2))).double().mean(dim=-1)


def mexa(similarities: Tensor) -> float:
    """The share of rows whose own cosine is larger than every other in its row and in its column (n x n)."""
    return float(_mutual(similarities))
