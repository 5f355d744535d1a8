"""Which neurons belong to which language: activation probability entropy (LAPE, Tang et al. 2024)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isogloss.errors import IsoglossError

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LanguageNeurons:
    """Neurons of low entropy and the languages that they belong to; a neuron may belong to several."""

    languages: tuple[str, ...]
    entropy: Floats  # layers x neurons, in nats; infinite where no language uses the neuron enough
    owners: NDArray[np.bool_]  # languages x layers x neurons

    def of(self, language: str) -> dict[int, list[int]]:
        """A language's neurons by layer; layers count from 1."""
        return _by_layer(self.owners[self.languages.index(language)])

    def counts(self) -> NDArray[np.int64]:
        """How many neurons each language has in each layer (languages x layers)."""
        return np.asarray(self.owners.sum(axis=2), dtype=np.int64)

    def alone(self) -> NDArray[np.int64]:
        """The same of neurons that belong to one language only."""
        return np.asarray((self.owners & (self.owners.sum(axis=0) == 1)).sum(axis=2), dtype=np.int64)


def find_language_neurons(
    probability: ArrayLike, languages: Sequence[str], share: float = 0.01, bar: float = 0.95
) -> LanguageNeurons:
    """The ``share`` of all neurons with the lowest entropy over languages, and whose they are.

    ``probability`` (languages x layers x neurons) says how often each neuron is active. The quantile ``bar`` of all
    probabilities is what counts as active: a neuron below it in every language is not considered, and a neuron belongs
    to the languages in which it reaches the bar (0.01 and 0.95 in the paper). Ties in entropy go to the lower layer.
    """
    table = np.asarray(probability, dtype=np.float64)
    if table.ndim != 3 or len(table) != len(languages) or len(languages) < 2:
        raise IsoglossError(
            f"probabilities have shape {table.shape} for {len(languages)} languages",
            remedy="give languages x layers x neurons of at least two languages",
        )
    if not (np.isfinite(table).all() and table.min() >= 0 and table.max() <= 1):
        raise IsoglossError("an activation probability is not between 0 and 1")
    level = quantile_from_below(table, bar)
    entropy = np.where((table >= level).any(axis=0) & (table.max(axis=0) > 0), entropies(table), np.inf)
    number = max(1, round(share * entropy.size))
    ranked = np.argsort(entropy.reshape(-1), kind="stable")[:number]
    chosen = np.zeros(entropy.size, dtype=bool)
    chosen[ranked[np.isfinite(entropy.reshape(-1)[ranked])]] = True
    owners = chosen.reshape(entropy.shape) & (table >= level) & (table > 0)
    return LanguageNeurons(tuple(languages), entropy, owners)


def entropies(table: Floats) -> Floats:
    """Entropy over languages (the first axis) of probabilities scaled to sum to one; zero where all are zero."""
    total = table.sum(axis=0, keepdims=True)
    shares = np.divide(table, total, out=np.zeros_like(table), where=total > 0)
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    return np.asarray(-(shares * logs).sum(axis=0), dtype=np.float64)


def quantile_from_below(table: Floats, share: float) -> float:
    """The value that a ``share`` of all numbers does not exceed: the k-th smallest, as in the authors' code."""
    flat = table.reshape(-1)
    place = min(max(round(flat.size * share), 1), flat.size) - 1
    return float(np.partition(flat, place)[place])


def random_neurons(like: dict[int, list[int]], width: int, seed: int) -> dict[int, list[int]]:
    """As many neurons in the same layers, drawn from all others: the control."""
    drawn = {}
    for layer, numbers in like.items():
        others = np.setdiff1d(np.arange(width), numbers)
        if len(others) < len(numbers):
            raise IsoglossError(
                f"{len(numbers)} of {width} neurons are chosen: not enough others are left",
                where=f"layer {layer}",
                remedy="choose a smaller share of neurons",
            )
        random = np.random.default_rng([seed, layer])
        drawn[layer] = sorted(int(number) for number in random.choice(others, len(numbers), replace=False))
    return drawn


def _by_layer(owned: NDArray[np.bool_]) -> dict[int, list[int]]:
    return {layer: np.flatnonzero(row).tolist() for layer, row in enumerate(owned, start=1) if row.any()}
