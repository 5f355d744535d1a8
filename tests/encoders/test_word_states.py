"""Vectors of words: entries of one subword, and means over all occurrences."""

from collections.abc import Callable

import numpy as np
import pytest

from isogloss.encoders import Encoder
from isogloss.encoders.word_states import entry_vectors, mean_word_states

SENTENCES = [["The", "cat", "sat"], ["the", "unknowable", "king"], ["the"], ["king"]]


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_entries_are_the_input_embeddings_of_words_of_one_subword(saved: Callable, family: str) -> None:
    one = saved(family)
    encoder = Encoder(str(one.folder), dtype="float32")
    words = ["the", "Wald", "unknowable", "king"]
    places, vectors = entry_vectors(encoder, words)
    assert 0 in places and 2 not in places
    table = encoder.model.get_input_embeddings().weight.detach().numpy()
    after_a_word = one.tokenizer("of the", add_special_tokens=False)["input_ids"][-1]
    assert np.array_equal(vectors[places.index(0)], table[after_a_word])
    assert vectors.shape == (len(places), encoder.width)


def test_states_of_a_word_are_the_mean_over_its_occurrences(saved: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = Encoder(str(saved("bert").folder), dtype="float32")
    words = ["king", "the", "absent"]
    block = encoder.encode(SENTENCES, level="word")
    flat = [word.lower() for sentence in SENTENCES for word in sentence]
    found, counts = mean_word_states(encoder, SENTENCES, words)
    assert counts.tolist() == [2, 3, 0]
    for row, word in enumerate(words[:2]):
        mine = [place for place, other in enumerate(flat) if other == word]
        assert np.allclose(found[row], block.values[mine].mean(axis=0), atol=1e-5)
    assert not found[2].any()
    monkeypatch.setattr("isogloss.encoders.encoder.MOST_SENTENCES", 1)  # the same in a block a sentence
    again, _ = mean_word_states(encoder, SENTENCES, words)
    assert np.allclose(found, again, atol=1e-5)
