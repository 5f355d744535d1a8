"""Named entities in the layouts of WikiANN, XTREME and CoNLL."""

from pathlib import Path

import pytest

from isogloss.corpora import load_corpus, load_tagged
from isogloss.errors import IsoglossError


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def test_wikianns_layout_has_a_folder_a_language_and_an_index_in_front(tmp_path: Path) -> None:
    put(tmp_path / "de" / "train.tsv", "0\tAnna\tB-PER\n1\tgeht\tO\n\n0\tRom\tB-LOC\n")
    put(tmp_path / "de" / "val.tsv", "0\tRom\tB-LOC\n1\truht\tO\n\n")
    corpus = load_corpus(tmp_path)
    assert (corpus.kind, corpus.languages, set(corpus.parts)) == ("tagged", ("de",), {"train", "dev"})
    first, second = corpus.read("de", "train")
    assert (first.words, first.tags, second.words) == (("Anna", "geht"), ("B-PER", "O"), ("Rom",))


def test_xtremes_layout_has_the_language_in_the_name_and_perhaps_before_the_words(tmp_path: Path) -> None:
    put(tmp_path / "dev-en.tsv", "en:Anna\tB-PER\nen::\tO\n\nen:Rome\tB-LOC\nis\tO\n")
    first, second = load_tagged(tmp_path, ["eng"], "dev").read()
    assert first.words == ("Anna", ":")
    assert second.words == ("en:Rome", "is"), "a prefix that not every word has is part of the word"


def test_conll2003_has_four_columns_with_spaces_and_document_marks(tmp_path: Path) -> None:
    put(tmp_path / "eng.testa", "-DOCSTART- -X- -X- O\n\nEU NNP B-NP B-ORG\nrejects VBZ B-VP O\n\n")
    put(tmp_path / "ned.train", "Jan N B-PER\nslaapt V O\n\n")
    corpus = load_tagged(tmp_path)
    assert [(source.language, source.part) for source in corpus.sources] == [("en", "dev"), ("nl", "train")]
    assert corpus.read("en")[0].tags == ("B-ORG", "O")


def test_bioes_tags_become_bio_and_stray_ones_stay(tmp_path: Path) -> None:
    put(tmp_path / "de-train.tsv", "a\tS-PER\nb\tB-ORG\nc\tE-ORG\nd\tI-LOC\ne\tO\n")
    assert load_tagged(tmp_path).read()[0].tags == ("B-PER", "B-ORG", "I-ORG", "I-LOC", "O")


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("a\tO\nb\tNOUN\n", 2, "'NOUN' is not a BIO tag"),
        ("a\tO\nb\tx\tO\n", 2, "3 columns where the file has 2"),
        ("a\tO\n\n \tO\n", 3, "an empty word"),
        ("word\n", 1, "one column"),
    ],
)
def test_a_fault_is_named_by_file_and_line(tmp_path: Path, text: str, line: int, what: str) -> None:
    put(tmp_path / "train-de.tsv", text)
    with pytest.raises(IsoglossError, match=rf"train-de\.tsv:{line}: {what}"):
        load_tagged(tmp_path).read()


def test_sentences_with_faults_can_be_left_out_and_are_counted(tmp_path: Path) -> None:
    put(tmp_path / "train-de.tsv", "a\tB-PER\n\nb\tWRONG\nc\tO\n\nd\tO\n")
    corpus = load_tagged(tmp_path, on_error="skip")
    assert [sentence.words for sentence in corpus] == [("a",), ("d",)]
    assert corpus.left_out == {"sentences with errors": 1}


def test_a_test_set_whose_tags_are_all_the_same_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "test-de.tsv", "a\tO\n\n" * 20)
    with pytest.raises(IsoglossError, match=r"test-de\.tsv: all 20 labels are 'O'"):
        load_tagged(tmp_path).read()
    put(tmp_path / "test-de.tsv", "a\tO\n\n" * 2)
    assert len(load_tagged(tmp_path).read()) == 2, "two sentences may well have no entity"


def test_wikipedias_codes_are_wikipedias_only_in_its_sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "wikiann" / "als" / "train.tsv", "als:Anna\tB-PER\nals:goht\tO\n")
    monkeypatch.setenv("ISOGLOSS_DATA", str(tmp_path))
    corpus = load_tagged("wikiann")
    assert corpus.languages == ("gsw",) and corpus.read()[0].words == ("Anna", "goht")


def test_a_word_of_a_file_name_is_not_taken_for_a_language(tmp_path: Path) -> None:
    put(tmp_path / "my-data.tsv", "a\tO\nb\tB-PER\n")
    with pytest.raises(IsoglossError, match="no file name here contains a language"):
        load_tagged(tmp_path)
    assert load_tagged(tmp_path / "my-data.tsv", ["de"]).languages == ("de",)


def test_only_blanks_of_the_file_format_divide_columns(tmp_path: Path) -> None:
    put(tmp_path / "train-fr.tsv", "10\xa0000\tO\nb\tB-PER\n")
    assert load_tagged(tmp_path).read()[0].words == ("10\xa0000", "b")
