"""Dictionaries, gold alignments and word vectors."""

from pathlib import Path

import numpy as np
import pytest

from isogloss.corpora import load_alignments, load_dictionary, load_vectors
from isogloss.errors import IsoglossError


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def test_dictionaries_with_tabs_or_spaces_and_several_answers(tmp_path: Path) -> None:
    put(tmp_path / "en-de.0-5000.txt", "dog Hund\ndog Köter\ncat Katze\ncat Katze\n")
    put(tmp_path / "en-de.5000-6500.txt", "New York\tNeu York\n")
    train = load_dictionary(tmp_path, "eng", "de", "train")
    assert train.entries == (("dog", "Hund"), ("dog", "Köter"), ("cat", "Katze"))
    assert train.weights == () and train.left_out == {"entries that stand twice": 1}
    assert load_dictionary(tmp_path, "en", "de", "test").entries == (("New York", "Neu York"),)
    assert len(load_dictionary(tmp_path, "en", "de").entries) == 4


def test_a_dictionary_of_the_other_direction_is_turned_round(tmp_path: Path) -> None:
    put(tmp_path / "en-de" / "x.train.en-de.tsv", "dog\tHund\n")
    found = load_dictionary(tmp_path, "de", "en")
    assert (found.source, found.target, found.entries) == ("de", "en", (("Hund", "dog"),))


def test_weights_are_read_and_all_or_none(tmp_path: Path) -> None:
    path = put(tmp_path / "en-de.tsv", "dog\tHund\t9\ndog\tKöter\t0.5\n")
    assert load_dictionary(path, "en", "de").weights == (9.0, 0.5)
    put(path, "dog\tHund\t9\ncat\tKatze\n")
    with pytest.raises(IsoglossError, match="some entries have a weight"):
        load_dictionary(path, "en", "de")


@pytest.mark.parametrize("entry", ["dog,Hund", "dog;Hund", "a dog Hund 3", "dog\t", "dog\tHund\tmuch", "dog\tHund\t-1"])
def test_a_line_that_is_no_entry_is_named(tmp_path: Path, entry: str) -> None:
    path = put(tmp_path / "en-de.tsv", f"cat\tKatze\n{entry}\n")
    with pytest.raises(IsoglossError, match=r"en-de\.tsv:2"):
        load_dictionary(path, "en", "de")


def test_a_pair_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    put(tmp_path / "en-de.txt", "dog Hund\n")
    with pytest.raises(IsoglossError, match="available pairs: en-de"):
        load_dictionary(tmp_path, "en", "fr")


def test_the_largest_of_several_training_parts_is_taken(tmp_path: Path) -> None:
    put(tmp_path / "en-de" / "x.train.freq.500.en-de.tsv", "a\tb\n")
    put(tmp_path / "en-de" / "x.train.freq.1k.en-de.tsv", "a\tb\nc\td\n")
    assert len(load_dictionary(tmp_path, "en", "de", "train").entries) == 2


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    put(tmp_path / "enfr.src-tgt", "the house ||| la maison bleue\nyes |||  oui  \n")
    put(tmp_path / "enfr.gold", "1-1 2-2 2p3\n1-1\n")
    return tmp_path


def test_alignments_count_from_zero_and_sure_links_are_possible_too(gold: Path) -> None:
    found = load_alignments(gold)
    assert (found.source, found.target, len(found.rows)) == ("en", "fr", 2)
    assert found.rows[0].second == ("la", "maison", "bleue")
    assert found.rows[0].sure == {(0, 0), (1, 1)} and found.rows[0].possible == {(0, 0), (1, 1), (1, 2)}


def test_alignments_can_be_asked_for_the_other_way_round(gold: Path) -> None:
    found = load_alignments(gold, "fra", "eng", limit=1)
    assert (found.source, len(found.rows)) == ("fr", 1)
    assert found.rows[0].possible == {(0, 0), (1, 1), (2, 1)} and found.rows[0].first[0] == "la"


@pytest.mark.parametrize(
    ("links", "what"),
    [("1-1\n1-2\n", "1-2 in sentences of 1 and 1"), ("1-1\nx\n", "'x' is not a link"), ("0-1\n1-1\n", "0-1")],
)
def test_a_wrong_link_is_named_by_file_and_line(gold: Path, links: str, what: str) -> None:
    put(gold / "enfr.gold", links)
    with pytest.raises(IsoglossError, match=rf"enfr\.gold:[12]: .*{what}"):
        load_alignments(gold)


def test_halves_of_different_length_are_refused(gold: Path) -> None:
    put(gold / "enfr.gold", "1-1\n")
    with pytest.raises(IsoglossError, match=r"enfr\.gold: ends before line 2"):
        load_alignments(gold)


def test_links_that_count_from_zero_are_read_on_request(gold: Path) -> None:
    put(gold / "enfr.gold", "0-0\n0-0\n")
    assert load_alignments(gold / "enfr.gold", base=0).rows[0].sure == {(0, 0)}


def test_vectors_are_the_last_fields_and_words_may_hold_blanks(tmp_path: Path) -> None:
    path = put(tmp_path / "wiki.de.vec", "3 2\n, 1.5 -2 \nNew York 0 1\n, 3 3\n")
    found = load_vectors(path)
    assert found.words == (",", "New York") and found.left_out == {"words that stand twice": 1}
    np.testing.assert_array_equal(found.vectors, np.array([[1.5, -2], [0, 1]], dtype=np.float32))
    assert load_vectors(path, limit=1).words == (",",)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("word 1 2\n", ":1"),
        ("1 2\nword 1\n", ":2"),
        ("1 2\nword 1 x\n", ":2"),
        ("1 2\nword 1 nan\n", ":2"),
        ("2 1\na 1\n", ""),
    ],
)
def test_faulty_vector_files_are_refused(tmp_path: Path, text: str, where: str) -> None:
    path = put(tmp_path / "wiki.de.vec", text)
    with pytest.raises(IsoglossError, match=rf"wiki\.de\.vec{where}: "):
        load_vectors(path)
