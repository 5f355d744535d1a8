"""LAPE against a plain loop, and planted neurons that must be found."""

import math

import numpy as np
import pytest

from isogloss.errors import IsoglossError
from isogloss.probes.language_neurons import find_language_neurons, random_neurons


def slow(table: np.ndarray, share: float, bar: float) -> set[tuple[int, int, int]]:
    """Language, layer and neuron of every owner, one neuron at a time."""
    languages, layers, width = table.shape
    flat = sorted(float(value) for value in table.ravel())
    level = flat[round(len(flat) * bar) - 1]
    ranked = []
    for layer in range(layers):
        for neuron in range(width):
            values = [float(value) for value in table[:, layer, neuron]]
            if max(values) >= level and max(values) > 0:
                shares = [value / sum(values) for value in values]
                ranked.append((-sum(s * math.log(s) for s in shares if s > 0), layer, neuron))
    chosen = sorted(ranked)[: round(share * layers * width)]
    return {
        (language, layer, neuron)
        for _, layer, neuron in chosen
        for language in range(languages)
        if table[language, layer, neuron] >= level
    }


@pytest.mark.parametrize("seed", range(3))
def test_owners_are_those_of_a_plain_loop(seed: int) -> None:
    table = np.random.default_rng(seed).beta(0.4, 3.0, (4, 3, 50))
    found = find_language_neurons(table, ["a", "b", "c", "d"], share=0.1, bar=0.8)
    assert {tuple(map(int, place)) for place in np.argwhere(found.owners)} == slow(table, 0.1, 0.8)
    assert found.owners.any(axis=0).sum() == 15


def test_planted_neurons_are_found_and_no_others() -> None:
    random = np.random.default_rng(0)
    table = random.uniform(0.2, 0.25, (3, 4, 100))  # all languages alike
    planted = {"a": (0, range(0, 5)), "b": (2, range(50, 55)), "c": (3, range(90, 95))}
    for row, (layer, neurons) in enumerate(planted.values()):
        table[:, layer, list(neurons)] = 0.01
        table[row, layer, list(neurons)] = 0.9
    found = find_language_neurons(table, list(planted), share=15 / 400, bar=0.95)
    for language, (layer, neurons) in planted.items():
        assert found.of(language) == {layer + 1: list(neurons)}
    assert found.alone().sum() == 15


def test_a_neuron_that_is_never_active_belongs_to_nobody() -> None:
    table = np.zeros((2, 1, 10))
    table[0, 0, 3] = 0.5
    found = find_language_neurons(table, ["a", "b"], share=1.0, bar=0.5)
    assert found.of("a") == {1: [3]} and found.of("b") == {}


def test_the_control_has_as_many_other_neurons_in_the_same_layers() -> None:
    mine = {1: [0, 1, 2], 4: [7]}
    drawn = random_neurons(mine, 20, seed=3)
    assert {layer: len(numbers) for layer, numbers in drawn.items()} == {1: 3, 4: 1}
    assert not set(drawn[1]) & {0, 1, 2} and drawn[4] != [7]
    assert drawn == random_neurons(mine, 20, seed=3) != random_neurons(mine, 20, seed=4)
    with pytest.raises(IsoglossError, match="not enough others"):
        random_neurons({1: list(range(15))}, 20, seed=0)


@pytest.mark.parametrize("table", [np.ones((2, 3)), np.full((2, 1, 3), 1.5), np.full((2, 1, 3), np.nan)])
def test_what_is_no_table_of_probabilities_is_refused(table: np.ndarray) -> None:
    with pytest.raises(IsoglossError):
        find_language_neurons(table, ["a", "b"])
