"""Plain text from files and folders, compressed or not, and what wikiextractor writes."""

import gzip
import json
import lzma
import tracemalloc
from pathlib import Path

import pytest
import zstandard

from isogloss.corpora import load_corpus, load_text
from isogloss.corpora.lines import count_lines, read_lines
from isogloss.errors import IsoglossError


def test_a_folder_of_files_and_folders_named_by_language(tmp_path: Path) -> None:
    (tmp_path / "deu.txt").write_text("eins\n\nzwei\n")
    (tmp_path / "fr").mkdir()
    (tmp_path / "fr" / "b.txt").write_text("deux\n")
    (tmp_path / "fr" / "a.txt").write_text("un\n")
    corpus = load_text(tmp_path)
    assert corpus.languages == ("de", "fr")
    assert [sentence.text for sentence in corpus.stream("fr")] == ["un", "deux"]
    assert [sentence.text for sentence in corpus.stream("de")] == ["eins", "zwei"]
    assert corpus.left_out == {"blank lines": 1}


@pytest.mark.parametrize(
    ("ending", "pack"),
    [(".gz", gzip.compress), (".xz", lzma.compress), (".zst", zstandard.ZstdCompressor().compress)],
)
def test_compressed_text_is_unpacked_on_the_way(tmp_path: Path, ending: str, pack) -> None:
    (tmp_path / f"de.txt{ending}").write_bytes(pack("schön\nzwei\n".encode()))
    assert [sentence.text for sentence in load_text(tmp_path)] == ["schön", "zwei"]


def test_a_broken_archive_is_said_to_be_broken(tmp_path: Path) -> None:
    (tmp_path / "de.txt.gz").write_bytes(gzip.compress(b"a\n" * 10_000)[:-20])
    with pytest.raises(IsoglossError, match=r"de\.txt\.gz: broken archive"):
        load_text(tmp_path).read()


def test_one_file_may_be_of_any_language_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "book").write_text("ein Satz\n")
    assert load_text(tmp_path / "book", ["deu"]).read()[0].language == "de"
    with pytest.raises(IsoglossError, match="does not contain a language"):
        load_text(tmp_path / "book")


def test_wikiextractors_documents_lose_their_marks_and_titles(tmp_path: Path) -> None:
    path = tmp_path / "de" / "AA" / "wiki_00"
    path.parent.mkdir(parents=True)
    path.write_text('<doc id="7" url="u" title="Hund">\nHund\n\nDer Hund bellt.\nHund\n</doc>\n')
    corpus = load_text(tmp_path)
    assert [(sentence.text, sentence.id) for sentence in corpus] == [("Der Hund bellt.", "7"), ("Hund", "7")]
    assert corpus.left_out == {"titles and marks of documents": 3, "blank lines": 1}


def test_wikiextractors_json_is_read_too_and_needs_one_language_at_its_own_root(tmp_path: Path) -> None:
    path = tmp_path / "AA" / "wiki_00"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"id": "7", "title": "Hund", "text": "Der Hund bellt.\n\nEr schläft."}) + "\n")
    assert [sentence.text for sentence in load_text(tmp_path, ["de"])] == ["Der Hund bellt.", "Er schläft."]


def test_parts_are_subfolders(tmp_path: Path) -> None:
    for part in ("train", "valid"):
        (tmp_path / part).mkdir()
        (tmp_path / part / "de.txt").write_text(f"{part}\n")
    assert load_text(tmp_path).parts == ("train", "valid")
    assert load_text(tmp_path, ["de"], part="train").read()[0].text == "train"


def test_invalid_utf8_is_named_by_line_even_far_into_a_file(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("isogloss.corpora.lines.BLOCK", 1 << 10)
    lines = 500
    (tmp_path / "de.txt").write_bytes(b"123456789\n" * lines + b"\xff\n")
    with pytest.raises(IsoglossError, match=rf"de\.txt:{lines + 1}: not valid UTF-8"):
        load_text(tmp_path).read()


def test_lines_are_the_same_however_blocks_fall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes("\ufeffé\r\n\r\nlang und länger\rkein Ende\r\nletzte".encode())
    whole = list(read_lines(path))
    assert whole == [(1, "é"), (2, ""), (3, "lang und länger\rkein Ende"), (4, "letzte")]
    for size in range(1, 9):
        monkeypatch.setattr("isogloss.corpora.lines.BLOCK", size)
        assert list(read_lines(path)) == whole
    assert count_lines(path) == 4


def test_memory_does_not_grow_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.corpora.lines.BLOCK", 1 << 14)
    (tmp_path / "de.txt").write_text("ein ganz gewöhnlicher Satz\n" * 100_000)
    tracemalloc.start()
    assert sum(1 for _ in read_lines(tmp_path / "de.txt")) == 100_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30 * (1 << 14), "the file has 2.8 MB"


def test_a_catalog_set_that_is_not_sentences_names_the_call_that_reads_it(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "ntrex").mkdir()
    (tmp_path / "ntrex" / "de.txt").write_text("a\n")
    monkeypatch.setenv("ISOGLOSS_DATA", str(tmp_path))
    with pytest.raises(IsoglossError, match="load_parallel"):
        load_corpus("ntrex")
