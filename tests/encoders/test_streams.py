"""Streams: blocks in order, batches that change nothing, counts that say what was read."""

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from small_models import TEXTS

from isogloss import Encoder
from isogloss.encoders import Counts
from isogloss.encoders import encoder as encoder_module
from isogloss.encoders.batching import chunks, cut_batches, prepared_ahead
from isogloss.encoders.levels import Piece


@pytest.fixture
def bert(saved: Any) -> Encoder:
    return Encoder(str(saved("bert").folder), dtype="float32", device="cpu")


def test_blocks_come_in_order_and_add_up_to_the_whole(bert: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = TEXTS * 5
    whole = bert.encode(texts)
    monkeypatch.setattr(encoder_module, "BLOCK_BYTES", 7 * 4 * len(bert.layers) * bert.width)
    blocks = list(bert.stream(iter(texts)))
    assert [len(block) for block in blocks] == [7] * 7 + [1]
    assert np.concatenate([block.sentence for block in blocks]).tolist() == list(range(len(texts)))
    np.testing.assert_allclose(np.concatenate([block.values for block in blocks]), whole, atol=1e-5)


def test_no_more_text_is_taken_than_two_blocks_ahead(bert: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder_module, "MOST_SENTENCES", 5)
    taken = 0

    def endless() -> Iterator[str]:
        nonlocal taken
        while True:
            taken += 1
            yield TEXTS[taken % len(TEXTS)]

    stream = bert.stream(endless())
    for number in range(1, 8):
        assert len(next(stream)) == 5
        assert taken <= 5 * (number + 2)
    stream.close()


def test_layers_come_in_the_order_asked_for(bert: Encoder) -> None:
    everything = bert.encode(TEXTS)
    np.testing.assert_array_equal(bert.encode(TEXTS, layers=[3, 0, 3]), everything[:, [3, 0, 3]])
    np.testing.assert_array_equal(bert.encode(TEXTS, layers="last"), everything[:, 3:])
    np.testing.assert_array_equal(bert.encode(TEXTS, layers=-2), everything[:, 2:3])
    np.testing.assert_array_equal(bert.encode(TEXTS, layers=np.arange(2, 4)), everything[:, 2:4])


def test_tokens_are_rows_of_their_own(bert: Encoder) -> None:
    block = bert.encode(TEXTS[:3], level="token", layers=[2])
    sentences = bert.encode(TEXTS[:3], layers=[2])
    for number in range(3):
        mine = block.values[block.sentence == number]
        np.testing.assert_allclose(mine.mean(axis=0), sentences[number], atol=1e-5)
        assert block.position[block.sentence == number].tolist() == list(range(len(mine)))


def test_a_word_without_a_subword_keeps_its_row_and_is_counted(bert: Encoder) -> None:
    block = bert.encode([["the", "", "cat", "\u200d"], [], ["\u200b"]], level="word")
    assert block.sentence.tolist() == [0, 0, 0, 0, 2]
    assert block.missing[1]
    assert not block.values[block.missing].any()
    assert block.counts.wordless == block.missing.sum() >= 1
    assert block.counts.words == 5
    whole = bert.encode([["the", "cat"]], level="word")
    if block.missing[3]:
        np.testing.assert_allclose(block.values[[0, 2]], whole.values, atol=1e-5)


def test_nothing_in_nothing_out(bert: Encoder) -> None:
    assert bert.encode([]).shape == (0, 4, 32)
    assert bert.encode([], level="word", layers=[1]).values.shape == (0, 1, 32)


def test_counts_tell_unknown_subwords_and_add_up(bert: Encoder) -> None:
    bert.encode(["the cat", "ξ the"])
    bert.encode(["ξ ξ"])
    assert bert.counts.sentences == 3
    assert bert.counts.unknown == 3
    assert sum([Counts(sentences=1, tokens=2), Counts(tokens=3)], Counts()) == Counts(sentences=1, tokens=5)


def test_the_batch_changes_a_vector_by_no_more_than_rounding_in_bfloat16(saved: Any) -> None:
    encoder = Encoder(str(saved("bert").folder), dtype="bfloat16", device="cpu")
    together = encoder.encode(TEXTS)
    alone = np.concatenate([encoder.encode([text]) for text in TEXTS])
    assert np.abs(together - alone).max() < 0.05
    assert not np.array_equal(together, Encoder(str(saved("bert").folder), dtype="float32").encode(TEXTS))


def test_reading_leaves_a_model_in_memory_as_it_was(saved: Any) -> None:
    given = saved("bert")
    given.model.train()
    given.model.encoder.layer[0].eval()
    try:
        states = Encoder.from_model(given.model, given.tokenizer).encode(TEXTS)
        assert given.model.training
        assert not given.model.encoder.layer[0].training
    finally:
        given.model.eval()
    np.testing.assert_allclose(states, Encoder(str(given.folder), dtype="float32").encode(TEXTS), atol=1e-5)


def test_two_streams_of_one_encoder_can_be_read_side_by_side(bert: Encoder) -> None:
    alone = bert.encode(TEXTS)
    for left, right in zip(bert.stream(TEXTS), bert.stream(TEXTS[::-1], layers=[1]), strict=True):
        np.testing.assert_allclose(left.values, alone, atol=1e-5)
        np.testing.assert_allclose(right.values[::-1, 0], alone[:, 1], atol=1e-5)


def pieces(lengths: list[int]) -> list[Piece]:
    return [Piece([0] * length, [row], [(0, length)]) for row, length in enumerate(lengths)]


def test_batches_keep_to_the_budget_and_hold_every_piece_once() -> None:
    lengths = np.random.default_rng(0).integers(3, 60, 500).tolist()
    batches = list(cut_batches(pieces(lengths), 256))
    assert sorted(piece.rows[0] for batch in batches for piece in batch) == list(range(500))
    padded = [len(batch) * max(len(piece.ids) for piece in batch) for batch in batches]
    assert max(padded) <= 256
    assert sum(padded) < 1.05 * sum(lengths)


def test_a_piece_longer_than_the_budget_is_a_batch_by_itself() -> None:
    assert [len(batch) for batch in cut_batches(pieces([300, 10, 10]), 100)] == [1, 2]


def test_chunks_are_bounded_by_rows_and_by_items() -> None:
    assert [chunk for _, chunk in chunks([1, 2, 3, 9, 1, 1, 1], lambda n: n, 5, 2)] == [[1, 2], [3], [9], [1, 1], [1]]
    assert [start for start, _ in chunks("abcde", lambda _: 1, 2, 9)] == [0, 2, 4]


def test_one_portion_is_prepared_ahead_in_another_thread_and_errors_come_through() -> None:
    made: list[int] = []

    def prepare(number: int) -> int:
        made.append(number)
        if number == 3:
            raise ValueError("third")
        return threading.get_ident()

    def numbers() -> Iterator[int]:
        yield from range(1, 10)

    ready = prepared_ahead(numbers(), prepare)
    assert next(ready) != threading.get_ident()
    next(ready)
    with pytest.raises(ValueError, match="third"):
        next(ready)
    assert made == [1, 2, 3]
