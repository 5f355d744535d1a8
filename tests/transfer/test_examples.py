"""Words find their first subword, long sentences lose no word, and what is lost is counted."""

from typing import Any

import numpy as np
import pytest
import torch

from isogloss.corpora import Pair, TaggedSentence
from isogloss.tasks import Labels, get_task
from isogloss.transfer import Settings
from isogloss.transfer.batches import Split
from isogloss.transfer.examples import Reader

LABELS = Labels(("A", "B"))


def tagged(words: list[str]) -> TaggedSentence:
    return TaggedSentence(tuple(words), tuple("AB"[place % 2] for place in range(len(words))), "qaa")


def test_each_word_is_read_off_its_first_subword(tokenizer: Any, texts: dict[str, list[str]]) -> None:
    words = texts["qaa"][0].split()
    example = Reader(tokenizer, 64).read(get_task("pos"), [tagged(words)], LABELS).items[0]
    ids = example.rows[0].ids
    for word, (row, place) in zip(words, example.units, strict=True):
        pieces = tokenizer(word, add_special_tokens=False)["input_ids"]
        assert row == 0
        assert ids[place : place + len(pieces)] == pieces
    assert ids[0] == tokenizer.cls_token_id and ids[-1] == tokenizer.sep_token_id


def test_a_decoder_reads_each_word_off_its_last_subword(tokenizer: Any, texts: dict[str, list[str]]) -> None:
    words = " ".join(texts["qaa"][:20]).split()
    example = Reader(tokenizer, 24, last=True).read(get_task("pos"), [tagged(words)], LABELS).items[0]
    several = 0
    for word, (row, place) in zip(words, example.units, strict=True):
        pieces = tokenizer(word, add_special_tokens=False)["input_ids"]
        assert example.rows[row].ids[place + 1 - len(pieces) : place + 1] == pieces
        several += len(pieces) > 1
    assert several > 3  # otherwise first and last are the same


def test_a_long_sentence_is_read_in_windows_and_every_word_has_a_unit(
    tokenizer: Any, texts: dict[str, list[str]]
) -> None:
    words = " ".join(texts["qaa"][:20]).split()
    examples = Reader(tokenizer, 24).read(get_task("pos"), [tagged(words)], LABELS)
    example = examples.items[0]
    assert examples.counts.windowed == 1 and len(example.rows) > 3
    assert all(len(row.ids) <= 24 for row in example.rows)
    assert len(example.units) == len(example.targets) == len(words)
    for word, (row, place) in zip(words, example.units, strict=True):
        assert example.rows[row].ids[place] == tokenizer(word, add_special_tokens=False)["input_ids"][0]


def test_cutting_as_the_papers_do_is_counted(tokenizer: Any, texts: dict[str, list[str]]) -> None:
    words = " ".join(texts["qaa"][:20]).split()
    examples = Reader(tokenizer, 24, "cut").read(get_task("pos"), [tagged(words), tagged(words[:2])], LABELS)
    kept = len(examples.items[0].units)
    assert len(examples.items[0].rows) == 1 and len(examples.items[0].rows[0].ids) == 24
    assert examples.counts.cut_sentences == 1
    assert examples.counts.cut_words == len(words) - kept > 0
    assert "cut" in examples.counts.notes()[0]


def test_a_word_without_a_subword_becomes_the_unknown_one(tokenizer: Any, texts: dict[str, list[str]]) -> None:
    words = ["\u0007", *texts["qaa"][0].split()[:2]]  # of a control character the normaliser leaves nothing
    examples = Reader(tokenizer, 64).read(get_task("pos"), [tagged(words)], LABELS)
    example = examples.items[0]
    assert examples.counts.wordless == 1
    assert example.rows[0].ids[example.units[0, 1]] == tokenizer.unk_token_id
    assert len(example.units) == 3


def test_pairs_have_types_and_are_cut_at_the_longer_text(tokenizer: Any, texts: dict[str, list[str]]) -> None:
    long, short = " ".join(texts["qaa"][:10]), texts["qaa"][11]
    pair = Pair(long, short, "A", "qaa")
    examples = Reader(tokenizer, 48).read(get_task("nli"), [pair], LABELS)
    row = examples.items[0].rows[0]
    second = tokenizer(short, add_special_tokens=False)["input_ids"]
    assert len(row.ids) == 48 and examples.counts.cut_sentences == 1 and examples.counts.cut_tokens > 0
    assert row.ids[-len(second) - 1 : -1] == second
    assert row.types is not None and row.types[-len(second) - 1 :] == [1] * (len(second) + 1)


@pytest.fixture(scope="module")
def split(tokenizer: Any, texts: dict[str, list[str]]) -> Split:
    reader = Reader(tokenizer, 24)
    sentences = [tagged(text.split()) for text in texts["qaa"]] + [tagged(" ".join(texts["qaa"][:9]).split())]
    return Split(reader.read(get_task("pos"), sentences, LABELS), tokenizer.pad_token_id, torch.device("cpu"))


def test_an_epoch_sees_every_sentence_once_and_the_seed_fixes_the_order(split: Split) -> None:
    for settings in (Settings(batch=8), Settings(batch_tokens=100), Settings(batch=8, sort=False)):
        batches = split.shuffled(settings, 0)
        assert sorted(np.concatenate(batches)) == list(range(len(split)))
        again, later = split.shuffled(settings, 0), split.shuffled(settings, 1)
        assert all(np.array_equal(a, b) for a, b in zip(batches, again, strict=True))
        assert not all(np.array_equal(a, b) for a, b in zip(batches, later, strict=False))


def test_a_token_budget_holds_and_sorting_saves_padding(split: Split) -> None:
    def padded(settings: Settings) -> int:
        return sum(split.collate(places).ids.numel() for places in split.shuffled(settings, 0))

    for places in split.shuffled(Settings(batch_tokens=100), 0):
        assert len(places) * split.lengths[places].max() <= 100
    real = int(split.row_lengths.sum())
    assert real <= padded(Settings(batch=8)) < padded(Settings(batch=8, sort=False))


def test_collating_keeps_units_and_targets_in_their_places(split: Split) -> None:
    places = np.array([3, len(split) - 1, 0])  # the second one has several windows
    batch = split.collate(places)
    assert batch.ids.shape[0] > 3
    flat = batch.ids.flatten()
    for line, place in enumerate(places):
        example = split.examples[place]
        expected = [example.rows[row].ids[token] for row, token in example.units]
        assert flat[batch.units[line][batch.unit_mask[line]]].tolist() == expected
        assert batch.targets[line][batch.unit_mask[line]].tolist() == example.targets.tolist()
    assert batch.size == int(batch.unit_mask.sum())
    assert (batch.targets[~batch.unit_mask] == -1).all()


def test_texts_with_an_unknown_subword_can_be_left_out(tokenizer: Any, texts: dict[str, list[str]]) -> None:
    reader, task = Reader(tokenizer, 64), get_task("pos")
    known, strange = texts["qaa"][0].split(), [*texts["qaa"][0].split(), "字"]
    assert reader.knows(task, tagged(known)) and not reader.knows(task, tagged(strange))
    lines = [" ".join(known), " ".join(strange)]
    assert len(reader.read_texts(lines, 0, "words")) == 2
    assert len(reader.read_texts(lines, 0, "words", drop_unknown=True)) == 1


def test_a_batch_is_read_in_pieces_of_like_length(split: Split) -> None:
    places = np.random.default_rng(0).permutation(len(split))[:60]
    pieces = split.pieces(places)
    assert sorted(np.concatenate(pieces)) == sorted(places) and len(pieces) > 1
    padded = sum(len(piece) * split.lengths[piece].max() for piece in pieces)
    assert padded < 1.2 * split.lengths[places].sum() < len(places) * split.lengths[places].max()
    for piece in split.in_order(100):
        assert len(piece) == 1 or len(piece) * split.lengths[piece].max() <= 100


def test_a_batch_is_what_putting_in_one_number_after_the_other_gives(split: Split, tokenizer: Any) -> None:
    many = len(split) - 1  # has several windows
    for places in (np.array([many, 2, 5, many]), np.arange(len(split))[::-1], np.array([4])):
        batch = split.collate(places)
        chosen = [split.examples[place] for place in places]
        rows = [row for example in chosen for row in example.rows]
        time = max(len(row.ids) for row in rows)
        ids = [row.ids + [tokenizer.pad_token_id] * (time - len(row.ids)) for row in rows]
        assert batch.ids.tolist() == ids
        assert batch.mask.tolist() == [[step < len(row.ids) for step in range(time)] for row in rows]
        assert batch.inside.tolist() == [
            [row.inside[0] <= step < row.inside[1] for step in range(time)] for row in rows
        ]
        assert batch.types is None
        numbers = [split.first_rows[place] + row for place in places for row in range(len(split.examples[place].rows))]
        assert batch.rows.tolist() == numbers
        before = 0
        for line, example in enumerate(chosen):
            expected = [(before + row) * time + token for row, token in example.units]
            assert batch.units[line][batch.unit_mask[line]].tolist() == expected
            before += len(example.rows)


def test_the_second_text_of_a_pair_keeps_its_types(tokenizer: Any) -> None:
    pairs = [Pair("one two three", "four", "A", "qaa"), Pair("one", "two three four five", "B", "qaa")]
    examples = Reader(tokenizer, 24).read(get_task("nli"), pairs, LABELS)
    types = Split(examples, tokenizer.pad_token_id, torch.device("cpu")).collate(np.array([1, 0])).types
    expected = [example.rows[0].types for example in reversed(examples.items)]
    longest = max(len(one or []) for one in expected)
    assert types is not None
    assert types.tolist() == [(one or []) + [0] * (longest - len(one or [])) for one in expected]
