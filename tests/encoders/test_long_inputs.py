"""Long inputs: sentences are cut and counted, words are read in overlapping windows and none is lost."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch

from isogloss import Encoder, IsoglossError
from isogloss.encoders.limits import count_positions
from isogloss.encoders.subwords import Subwords
from isogloss.encoders.windows import place_units, window_spans


@pytest.fixture
def bert(saved: Any) -> Encoder:
    return Encoder(str(saved("bert").folder), dtype="float32", device="cpu")


def test_a_long_sentence_is_cut_and_counted(bert: Encoder) -> None:
    room = bert.max_tokens - 2
    states = bert.encode(["the cat " * 500, "the cat"])
    assert bert.counts.cut_sentences == 1
    assert bert.counts.cut_tokens == 1000 - room
    assert "1 of 2 sentences" in bert.counts.notes()[0]
    np.testing.assert_allclose(states[0], bert.encode(["the cat " * (room // 2)])[0], atol=1e-5)


def test_a_line_of_a_hundred_thousand_characters_is_read(bert: Encoder) -> None:
    line = "the cat sat " * 8334
    assert bert.encode([line]).shape == (1, 4, 32)
    block = bert.encode([line.split()], level="word", layers=[1])
    assert len(block) == 3 * 8334
    assert not block.missing.any()
    assert np.abs(block.values).sum(axis=2).min() > 0
    assert block.counts.windowed_sentences == 1


def test_words_of_a_long_sentence_come_from_the_window_where_they_stand_deepest(bert: Encoder, saved: Any) -> None:
    words = ("the cat sat on the mat " * 20).split()
    block = bert.encode([words], level="word", layers=[3])
    model, tokenizer = saved("bert").model, saved("bert").tokenizer
    ids = tokenizer(words, is_split_into_words=True, add_special_tokens=False)["input_ids"]
    room = bert.max_tokens - 2
    windows = window_spans(len(ids), room)
    assert len(windows) > 2
    for place in (0, 30, 60, len(ids) - 1):
        edges = [
            min(place - low if low else 10**6, high - place - 1 if high < len(ids) else 10**6)
            if low <= place < high
            else -1
            for low, high in windows
        ]
        low, high = windows[int(np.argmax(edges))]
        framed = [tokenizer.cls_token_id, *ids[low:high], tokenizer.sep_token_id]
        with torch.no_grad():
            state = model(torch.tensor([framed])).last_hidden_state[0, 1 + place - low]
        np.testing.assert_allclose(block.values[place, 0], state.numpy(), atol=1e-5)


def test_windows_cover_everything_and_overlap_by_a_quarter() -> None:
    for length in (5, 62, 63, 100, 1000):
        spans = window_spans(length, 62)
        assert spans[0][0] == 0
        assert spans[-1][1] == length
        assert all(high - low == min(62, length) for low, high in spans)
        assert all(after[0] <= before[1] - 62 // 4 for before, after in pairwise(spans))


def test_a_word_longer_than_a_window_is_cut_and_counted(bert: Encoder) -> None:
    tokeniser = bert._tokeniser
    pieces, cut = place_units(Subwords([7] * 200, [(0, 1), (1, 150), (150, 150), (150, 200)]), 0, tokeniser, 60)
    assert cut == 1
    assert sorted(row for piece in pieces for row in piece.rows) == [0, 1, 3]
    assert all(1 <= begin < end <= 61 for piece in pieces for begin, end in piece.spans)


@pytest.mark.parametrize(
    ("family", "positions"), [("bert", 64), ("roberta", 63), ("xlm-roberta", 63), ("bart", 64), ("t5", None)]
)
def test_the_limit_is_the_models_own(family: str, positions: int | None, saved: Any) -> None:
    encoder = Encoder(str(saved(family).folder), dtype="float32", device="cpu")
    assert count_positions(encoder.model) == positions
    assert encoder.max_tokens == (positions or 1024)
    full = "the cat " * 400
    assert np.isfinite(encoder.encode([full])).all()  # the last position is a real one


def test_the_user_may_bound_the_length_but_not_beyond_the_model(saved: Any) -> None:
    folder = str(saved("roberta").folder)
    encoder = Encoder(folder, dtype="float32", device="cpu", max_tokens=10)
    encoder.encode(["the cat sat on the mat and so on and on"])
    assert encoder.counts.cut_sentences == 1
    for bad in (64, 2, 0):
        with pytest.raises(IsoglossError, match="max_tokens"):
            Encoder(folder, device="cpu", max_tokens=bad)
