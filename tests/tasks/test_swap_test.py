from itertools import product

import numpy as np
import pytest

from isogloss.errors import IsoglossError
from isogloss.tasks import LabelTally
from isogloss.tasks.swap_test import swap_test

GOLD = [["A"], ["B"]] * 5


def tally(right: str) -> LabelTally:
    """A tally of ten sentences; a 1 is answered rightly."""
    other = {"A": "B", "B": "A"}
    answers = [[label if mark == "1" else other[label]] for (label,), mark in zip(GOLD, right, strict=True)]
    return LabelTally.count(GOLD, answers)


def exact(one: str, other: str) -> float:
    """All 2^10 exchanges of two systems' answers, by hand."""
    pairs = [(int(a), int(b)) for a, b in zip(one, other, strict=True)]
    observed = abs(sum(a - b for a, b in pairs))
    reached = [
        abs(sum(sign * (a - b) for sign, (a, b) in zip(signs, pairs, strict=True))) >= observed
        for signs in product([1, -1], repeat=10)
    ]
    return float(np.mean(reached))


@pytest.mark.parametrize(("one", "other"), [("1111111111", "0000000011"), ("1111100000", "1111000000")])
def test_the_p_value_is_that_of_all_exchanges(one: str, other: str):
    found = swap_test([tally(one)], [tally(other)], "accuracy", permutations=20_000)
    assert found == pytest.approx(exact(one, other), abs=0.01)


def test_equal_systems_have_p_one_whatever_is_measured():
    same = tally("1100110011")
    assert swap_test([same], [same], "macro_f1") == 1.0


def test_seeds_of_one_sentence_change_sides_together():
    """Twice the same answers are no more evidence than once."""
    one, other = tally("1111111100"), tally("1110000000")
    once = swap_test([one], [other], "accuracy", permutations=20_000)
    twice = swap_test([one, one], [other, other], "accuracy", permutations=20_000)
    assert twice == pytest.approx(once, abs=0.01)


def test_labels_that_only_one_system_gives_find_their_columns():
    gold = [["A"], ["B"], ["C"]]
    one = LabelTally.count(gold, [["A"], ["B"], ["C"]])
    other = LabelTally.count(gold, [["A"], ["A"], ["A"]])
    assert 0 < swap_test([one], [other], "macro_f1") <= 1


def test_systems_on_other_sentences_are_refused():
    with pytest.raises(IsoglossError, match="same sentences"):
        swap_test([tally("1111111111")], [LabelTally.count(GOLD[:3], GOLD[:3])])
    with pytest.raises(IsoglossError, match="same sentences"):
        swap_test([], [])
