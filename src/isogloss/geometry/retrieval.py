"""Retrieval of translations for many layers and language pairs: one product a variant serves all questions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import torch
from torch import Tensor

from isogloss.errors import IsoglossError, unknown_name
from isogloss.geometry.arrays import Matrix, as_matrix
from isogloss.geometry.neighbours import csls_matrix, unit_tensor

VARIANTS = ("raw", "centred", "standardised")


@dataclass(frozen=True, slots=True)
class Retrieval:
    """How well translations find each other at one layer, for one pair of languages and one variant of the
    vectors.

    Precision at 1 both ways, by cosine and by CSLS; ``mexa`` is the share of pairs that are each other's
    nearest neighbour with no tie (Kargaran et al. 2024); ``cosine`` is the mean over translations,
    ``cosine_others`` over all other pairs.
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


def retrieval_grid(
    states: Iterable[Mapping[str, Any]],
    pairs: Sequence[tuple[str, str]] | None = None,
    variants: Sequence[str] = VARIANTS,
    k: int = 10,
) -> list[Retrieval]:
    """Retrieval for every layer, pair and variant.

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
        results.extend(_layer_results(layer, by_language, chosen, variants, k))
    return results


def _layer_results(
    layer: int, states: Mapping[str, Any], pairs: Sequence[tuple[str, str]], variants: Sequence[str], k: int
) -> Iterator[Retrieval]:
    languages = sorted({language for pair in pairs for language in pair})
    missing = [language for language in languages if language not in states]
    if missing:
        raise unknown_name("language", missing[0], states, where=f"layer {layer}")
    rows = {language: as_matrix(states[language], f"layer {layer}, {language}") for language in languages}
    if len({len(one) for one in rows.values()}) > 1:
        sizes = {language: len(one) for language, one in rows.items()}
        raise IsoglossError(f"languages have different numbers of rows: {sizes}", where=f"layer {layer}")
    for variant in variants:
        units = {language: unit_tensor(_vary(one, variant)) for language, one in rows.items()}
        for source, target in pairs:
            scores = _compare(units[source] @ units[target].T, k)
            yield Retrieval(layer, source, target, variant, *scores, n=len(units[source]))


def _vary(rows: Matrix, variant: str) -> Matrix:
    if variant == "raw":
        return rows
    centred = rows - rows.mean(axis=0, dtype=np.float64).astype(rows.dtype)
    if variant == "centred":
        return np.asarray(centred)
    spread = centred.std(axis=0)
    return np.asarray(centred / np.where(spread > 0, spread, 1))


def _compare(similarities: Tensor, k: int) -> tuple[float, float, float, float, float, float, float]:
    """What one matrix of cosines says, n x n: precision both ways, the same by CSLS, MEXA, and mean cosines."""
    n = len(similarities)
    right = torch.arange(n)
    own = similarities.diagonal().clone()
    total = float(similarities.sum(dtype=torch.float64))
    scaled = csls_matrix(similarities, k)
    forward, backward = (_share(similarities.argmax(dim=dim) == right) for dim in (1, 0))
    csls_forward, csls_backward = (_share(scaled.argmax(dim=dim) == right) for dim in (1, 0))
    return forward, backward, csls_forward, csls_backward, mexa(similarities), float(own.mean()), _others(total, own, n)


def _others(total: float, own: Tensor, n: int) -> float:
    return (total - float(own.sum(dtype=torch.float64))) / (n * (n - 1)) if n > 1 else float("nan")


def mexa(similarities: Tensor) -> float:
    """The share of rows whose own cosine is larger than every other in its row and in its column (n x n)."""
    own = similarities.diagonal()
    others = similarities.clone()
    others.fill_diagonal_(-torch.inf)
    return _share((own > others.amax(dim=1)) & (own > others.amax(dim=0)))


def _share(hits: Tensor) -> float:
    return float(hits.double().mean())
