"""Maps between spaces: exact where one is a rotation of the other, rectangular where widths differ."""

import numpy as np
import pytest

from isogloss.errors import IsoglossError
from isogloss.geometry import SpaceMap, Vocabulary, induce


def rotation(size: int, seed: int = 1) -> np.ndarray:
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(size, size)))[0]


@pytest.fixture
def rows() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(200, 12)) + 1.0


@pytest.mark.parametrize("rounds", [0, 10])
def test_a_rotated_and_scaled_space_is_mapped_back_exactly(rows: np.ndarray, rounds: int) -> None:
    away = 3.0 * rows @ rotation(12)
    found = SpaceMap(rounds).fit(away[:100], rows[:100]).transform(away[100:])
    assert np.allclose(found, rows[100:], atol=1e-9)


def test_a_moved_space_is_mapped_back_around_its_mean(rows: np.ndarray) -> None:
    away = rows @ rotation(12) + 5.0
    assert np.allclose(SpaceMap(0).fit(away, rows).transform(away), rows, atol=1e-9)


@pytest.mark.parametrize(("wide", "narrow"), [(20, 12), (12, 20)])
def test_spaces_of_different_width_get_a_rectangular_map(rows: np.ndarray, wide: int, narrow: int) -> None:
    first, second = (np.pad(rows, ((0, 0), (0, size - 12))) for size in (wide, narrow))
    first = first @ rotation(wide)
    found = SpaceMap(0).fit(first, second)
    assert found.matrix_.shape == (wide, narrow)
    assert np.allclose(found.transform(first), second, atol=1e-9)


def test_rows_without_spread_are_refused() -> None:
    with pytest.raises(IsoglossError, match="nothing to map"):
        SpaceMap().fit(np.ones((5, 3)), np.ones((5, 3)))


def test_a_rotated_vocabulary_is_translated_without_a_fault() -> None:
    vectors = np.random.default_rng(2).normal(size=(80, 10))
    source = Vocabulary([f"a{n}" for n in range(80)], vectors)
    order = np.random.default_rng(3).permutation(80)
    target = Vocabulary([f"b{n}" for n in order], np.pad(vectors[order], ((0, 0), (0, 3))) @ rotation(13))
    entries = [(f"a{n}", f"b{n}") for n in range(80)]
    found = induce(source, target, entries[:40], [*entries[40:], ("a41", "b0"), ("gone", "b1")])
    assert found.by_csls.all() and found.by_cosine.all()
    assert (len(found.by_csls), found.pairs, found.candidates) == (40, 40, 80)


def test_words_that_the_map_cannot_know_are_translated_by_chance() -> None:
    rng = np.random.default_rng(4)
    source = Vocabulary([f"a{n}" for n in range(200)], rng.normal(size=(200, 20)))
    target = Vocabulary([f"b{n}" for n in range(200)], rng.normal(size=(200, 20)))
    entries = [(f"a{n}", f"b{n}") for n in range(200)]
    assert induce(source, target, entries[:100], entries[100:]).by_csls.mean() < 0.1


def test_a_dictionary_of_other_words_is_refused() -> None:
    words = Vocabulary(["a", "b", "c"], np.eye(3))
    with pytest.raises(IsoglossError, match="none of the 1 dictionary entries"):
        induce(words, words, [("x,", "y")], [("a", "a")])
    with pytest.raises(IsoglossError, match="single translation"):
        induce(words, words, [("a", "a")], [("b", "b")])
