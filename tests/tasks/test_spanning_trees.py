"""The tree decoder against enumeration of all trees."""

from itertools import product

import numpy as np
import pytest

from isogloss.tasks import decode_trees
from isogloss.tasks.spanning_trees import are_trees, spanning_tree


def is_tree(heads: tuple[int, ...]) -> bool:
    """One root, and every word reaches it (walked word by word, unlike the code under test)."""
    if heads.count(0) != 1:
        return False
    for start in range(1, len(heads) + 1):
        word, seen = start, set()
        while word:
            if word in seen:
                return False
            seen.add(word)
            word = heads[word - 1]
    return True


def best_by_enumeration(scores: np.ndarray) -> float:
    size = len(scores)
    trees = (heads for heads in product(range(size + 1), repeat=size) if is_tree(heads))
    return max(sum(scores[i, head] for i, head in enumerate(heads)) for heads in trees)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 6])
def test_the_best_tree_is_the_best_of_all_trees(size: int) -> None:
    rng = np.random.default_rng(size)
    for kind in ("plain", "many roots", "extreme"):
        for _ in range(3 if size == 6 else 20):
            scores = rng.normal(size=(size, size + 1)).astype(np.float32)
            if kind == "many roots":
                scores[:, 0] += 5  # the unconstrained best tree would have several roots
            if kind == "extreme":
                scores *= 1e3
            heads = decode_trees(scores[None], [size])[0]
            assert is_tree(tuple(heads.tolist()))
            found = sum(scores[i, head] for i, head in enumerate(heads))
            assert found == pytest.approx(best_by_enumeration(scores), rel=1e-5)


def test_a_batch_decodes_like_its_sentences_whatever_the_padding_holds() -> None:
    rng = np.random.default_rng(0)
    sizes = [1, 4, 7, 12, 12, 3]
    scores = rng.normal(size=(6, 12, 13)).astype(np.float32)
    padded = scores.copy()
    for row, size in enumerate(sizes):
        padded[row, size:] = 1e6
        padded[row, :, size + 1 :] = np.inf
    for row, (size, heads) in enumerate(zip(sizes, decode_trees(padded, sizes), strict=True)):
        assert heads.tolist() == spanning_tree(scores[row, :size, : size + 1]).tolist()


def test_minus_infinity_forbids_an_edge() -> None:
    scores = np.zeros((1, 2, 3), dtype=np.float32)
    scores[0, 0, 0] = -np.inf  # word 1 may not be the root
    assert decode_trees(scores, [2])[0].tolist() == [2, 0]


def test_trees_are_told_from_cycles_and_forests() -> None:
    heads = np.array([[2, 0, 2, 3], [2, 1, 0, 3], [0, 0, 2, 3], [0, 1, 9, 9]])
    assert are_trees(heads, np.array([4, 4, 4, 2])).tolist() == [True, False, False, True]
