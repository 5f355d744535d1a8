"""Chance in the lab is named, even-handed, and the same on every machine."""

import numpy as np
import pytest

from isogloss.corpora.lab.chance import Choice, Stream, zipf


def test_a_stream_is_known_by_its_names_alone() -> None:
    first = Stream(7, "text", "qaa").below(1000, 6).tolist()
    assert first == Stream(7, "text", "qaa").below(1000, 6).tolist()
    assert first != Stream(7, "text", "qab").below(1000, 6).tolist()
    assert first != Stream(8, "text", "qaa").below(1000, 6).tolist()


def test_streams_give_the_numbers_they_gave_when_this_was_written() -> None:
    stream = Stream(0, "fixed")
    assert stream.below(1_000_000, 4).tolist() == [661888, 101780, 151019, 520256]
    assert stream.order(6).tolist() == [2, 4, 0, 3, 5, 1]


def test_draws_follow_the_weights_of_their_row() -> None:
    weights = np.array([[1.0, 2.0, 1.0], [0.0, 0.0, 5.0]])
    rows = np.repeat([0, 1], 20_000)
    drawn = Choice(weights).draw(Stream(1, "rows"), rows)
    shares = np.bincount(drawn[:20_000], minlength=3) / 20_000
    assert shares == pytest.approx([0.25, 0.5, 0.25], abs=0.02)
    assert set(drawn[20_000:].tolist()) == {2}


def test_the_bell_has_mean_zero_and_variance_one() -> None:
    values = Stream(3, "bell").bell(200, 200)
    assert values.mean() == pytest.approx(0, abs=0.02)
    assert values.var() == pytest.approx(1, abs=0.03)


def test_coins_and_orders_are_fair() -> None:
    assert Stream(4, "coin").coin(0.3, 40_000).mean() == pytest.approx(0.3, abs=0.01)
    firsts = [Stream(5, "order", i).order(4)[0] for i in range(2_000)]
    assert np.bincount(firsts, minlength=4) / 2_000 == pytest.approx([0.25] * 4, abs=0.04)


def test_zipf_falls_with_rank() -> None:
    assert zipf(4, 1.0).tolist() == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4])
    assert zipf(3, 0.0).tolist() == [1, 1, 1]
