"""Token ids on disk, and how texts are read and divided."""

from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from isogloss.errors import IsoglossError
from isogloss.pretrain.plain_text import GIANT, Measure, Text
from isogloss.pretrain.recipe import Vocabulary
from isogloss.pretrain.tokens import is_written, open_stream, write_stream
from isogloss.pretrain.vocabulary import learn
from isogloss.pretrain.word_ids import SentenceEncoder, splits_at_spaces


def test_ids_are_32_bit_and_mapped_and_say_what_the_text_said(
    two_languages: dict[str, list[str]], tmp_path: Path
) -> None:
    rows = two_languages["qaa"]
    tokeniser = learn(Vocabulary(size=70, accept_fewer=True), {"qaa": lambda: iter(rows)}).by_language["qaa"]
    assert not is_written(tmp_path / "qaa")
    write_stream(tmp_path / "qaa", iter(rows), tokeniser, separator=3)
    stream = open_stream(tmp_path / "qaa")
    assert isinstance(stream.ids, np.memmap) and stream.ids.dtype == np.uint32
    assert len(stream) == len(rows)
    assert tokeniser.decode(stream.sentence(17).tolist()) == rows[17]
    assert (stream.ids == 3).sum() == len(rows)
    assert stream.lengths().sum() + len(rows) == len(stream.ids)


def test_training_and_validation_divide_the_text(two_languages: dict[str, list[str]]) -> None:
    text = Text("qaa", two_languages["qaa"])
    held_out = text.measure().held_out(20)
    training, validation = (list(text.part(name, held_out)) for name in ("training", "validation"))
    assert len(validation) == 20
    assert len(training) == 280
    assert sorted(training + validation) == sorted(two_languages["qaa"])


@pytest.mark.parametrize(("size", "wanted", "expected"), [(2, 500, 1), (50, 500, 5), (10_000, 500, 500)])
def test_at_most_a_tenth_is_held_out(size: int, wanted: int, expected: int) -> None:
    held_out = Measure(size, "").held_out(wanted)
    assert len(held_out) == expected
    assert held_out[-1] < size


def test_a_text_is_a_list_a_file_or_a_function(tmp_path: Path) -> None:
    rows = ["one line", "", "  ", "another "]
    path = tmp_path / "en.txt"
    path.write_text("\n".join(rows), encoding="utf-8")
    for source in (rows, path, lambda: iter(rows)):
        assert list(Text("en", source).sentences()) == ["one line", "another"]


@pytest.mark.parametrize(
    ("rows", "complaint"), [([], "no text"), (["", " "], "no text"), (["a b"], "one sentence only")]
)
def test_a_language_without_text_is_named(rows: list[str], complaint: str) -> None:
    with pytest.raises(IsoglossError, match=f"'qaa' has {complaint}"):
        Text("qaa", rows).measure()


def test_one_giant_line_is_named_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "en.txt"
    path.write_text("fine\n" + "word " * (GIANT // 4), encoding="utf-8")
    with pytest.raises(IsoglossError, match=r"en.txt:2: a line of .* one sentence per line"):
        Text("en", path).measure()


@pytest.mark.parametrize(
    ("kind", "scope"), [("bpe", "joint"), ("wordpiece", "joint"), ("unigram", "joint"), ("bpe", "marked")]
)
def test_ids_word_by_word_are_those_of_whole_sentences(
    kind: str, scope: str, two_languages: dict[str, list[str]]
) -> None:
    rows = [*two_languages["qaa"], "a  b\tc\x1fd\u00a0e ", " [MASK] x[CLS]y.z", "\u200b", "e\u0301 \u0301x", ""]
    settings = Vocabulary(size=120, kind=kind, scope=scope, accept_fewer=True)  # type: ignore[arg-type]
    tokeniser = learn(settings, {name: lambda: iter(rows[:-1]) for name in ("qaa", "qab")}).by_language["qaa"]
    assert splits_at_spaces(tokeniser)
    encoder = SentenceEncoder(tokeniser)
    for part in (rows[:100], rows[50:], rows):  # words that were met before, and new ones
        expected = [row.ids for row in tokeniser.encode_batch(part, add_special_tokens=False)]
        ids, sizes = encoder.encode(part)
        assert sizes.tolist() == [len(row) for row in expected]
        assert ids.tolist() == [number for row in expected for number in row]


def test_memory_of_words_is_bounded(two_languages: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.pretrain.word_ids.MOST_WORDS", 5)
    rows = two_languages["qaa"]
    tokeniser = learn(Vocabulary(size=70, accept_fewer=True), {"qaa": lambda: iter(rows)}).by_language["qaa"]
    encoder = SentenceEncoder(tokeniser)
    for row in rows[:40]:
        ids, _ = encoder.encode([row])
        assert ids.tolist() == tokeniser.encode(row, add_special_tokens=False).ids
        assert len(encoder._numbers) <= 5 + len(row.split(" "))


def test_a_tokeniser_that_looks_past_spaces_is_given_whole_sentences() -> None:
    rows = ["one two  three", "two one", "three"]
    tokeniser = Tokenizer(models.BPE())
    tokeniser.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokeniser.train_from_iterator(rows, trainers.BpeTrainer(vocab_size=300, show_progress=False))
    assert not splits_at_spaces(tokeniser)
    ids, sizes = SentenceEncoder(tokeniser).encode(rows)
    expected = [row.ids for row in tokeniser.encode_batch(rows)]
    assert ids.tolist() == [number for row in expected for number in row]
    assert sizes.tolist() == [len(row) for row in expected]
