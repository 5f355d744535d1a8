"""Parallel text in the layouts that people have: a file a language, two files a pair, FLORES, NTREX."""

import gzip
from pathlib import Path

import pytest

from isogloss.corpora import load_bitexts, load_parallel
from isogloss.errors import IsoglossError


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".").replace("_m_", "-")).write_bytes(text.encode())
    return folder


def test_a_folder_of_code_files_is_read_under_one_code_each(tmp_path: Path) -> None:
    write(tmp_path, deu__txt="eins\r\nzwei\r\n", eng__txt="one\ntwo", README__txt="not parallel")
    (tmp_path / "zho-CN.txt").write_text("一\n二\n")
    text = load_parallel(tmp_path)
    assert text.texts == {"de": ("eins", "zwei"), "en": ("one", "two"), "zh": ("一", "二")}
    (reason,) = text.left_out
    assert "'README.txt', which is not a language code" in reason and text.left_out[reason] == 1


def test_swiss_german_as_ntrex_names_it_is_read_and_an_unknown_code_is_named_with_its_remedy(tmp_path: Path) -> None:
    for code in ("eng", "gsw-ZH", "deu-QQ1"):
        (tmp_path / f"newstest2019-ref.{code}.txt").write_text("a\nb\n")
    assert load_parallel(tmp_path, ["en", "gsw"]).languages == ("en", "gsw")
    with pytest.raises(IsoglossError, match=r"newstest2019-ref.deu-QQ1.txt.*rename"):
        load_parallel(tmp_path, ["en", "de"])


def test_languages_come_in_the_order_asked_for_by_any_code(tmp_path: Path) -> None:
    write(tmp_path, deu__txt="eins\n", eng__txt="one\n", arb__txt="واحد\n")
    assert load_parallel(tmp_path, ["ar", "eng"]).languages == ("ar", "en")


def test_a_pair_of_codes_is_not_a_language_with_a_country(tmp_path: Path) -> None:
    write(tmp_path, de__txt="a\n", en__txt="a\n")
    (tmp_path / "en-de.txt").write_text("dog Hund\ncat Katze\n")
    (tmp_path / "pt-br.txt").write_text("a\n")
    assert set(load_parallel(tmp_path).languages) == {"de", "en", "pt-BR"}


def test_rows_blank_in_a_chosen_language_are_left_out_and_counted(tmp_path: Path) -> None:
    write(tmp_path, de__txt="a\n\nc\nd\n", en__txt="a\nb\n \nd\n", fr__txt="a\n\n\n\n")
    text = load_parallel(tmp_path, ["de", "en"])
    assert text.texts["en"] == ("a", "d")
    assert sum(text.left_out.values()) == 2
    assert load_parallel(tmp_path, ["de", "en"], limit=1).texts["de"] == ("a",)


def test_files_of_different_length_are_refused_by_name_and_size(tmp_path: Path) -> None:
    write(tmp_path, de__txt="a\nb\n", en__txt="a\nb\n", fr__txt="a\nb\nc\n")
    with pytest.raises(IsoglossError, match=r"fr\.txt: 3 lines, but de\.txt has 2"):
        load_parallel(tmp_path)


def test_only_line_feeds_end_a_line(tmp_path: Path) -> None:
    write(tmp_path, de__txt="a\u2028b\x0cc\n", en__txt="abc\n")
    assert load_parallel(tmp_path).texts["de"] == ("a\u2028b\x0cc",)


def test_two_files_of_one_language_are_refused(tmp_path: Path) -> None:
    write(tmp_path, deu__txt="a\n", de__txt="a\n")
    with pytest.raises(IsoglossError, match="both 'de'"):
        load_parallel(tmp_path)


def test_invalid_utf8_is_named_by_file_and_line(tmp_path: Path) -> None:
    write(tmp_path, en__txt="a\nb\n")
    (tmp_path / "de.txt").write_bytes(b"gut\nschlie\xdfen\n")
    with pytest.raises(IsoglossError, match=r"de\.txt:2: not valid UTF-8 \(byte 0xdf\)"):
        load_parallel(tmp_path)


def test_an_empty_file_is_refused_by_name(tmp_path: Path) -> None:
    write(tmp_path, en__txt="a\n", de__txt="")
    with pytest.raises(IsoglossError, match=r"de\.txt: the file is empty"):
        load_parallel(tmp_path)


def test_a_language_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    write(tmp_path, en__txt="a\n", de__txt="b\n")
    with pytest.raises(IsoglossError, match="available languages: de, en"):
        load_parallel(tmp_path, ["en", "fr"])


def test_a_base_code_finds_the_only_variant_there_is(tmp_path: Path) -> None:
    write(tmp_path, en__txt="a\n")
    (tmp_path / "por-BR.txt").write_text("b\n")
    assert load_parallel(tmp_path, ["pt", "en"]).languages == ("pt-BR", "en")


def test_a_folder_without_parallel_text_says_how_to_name_files(tmp_path: Path) -> None:
    write(tmp_path, notes__md="hello")
    with pytest.raises(IsoglossError, match=r"de\.txt, en\.txt"):
        load_parallel(tmp_path)


def test_ntrex_and_flores_names_are_understood(tmp_path: Path) -> None:
    ntrex = write(tmp_path / "a")
    (ntrex / "newstest2019-src.eng.txt").write_text("one\n")
    (ntrex / "newstest2019-ref.fra-CA.txt").write_text("un\n")
    assert load_parallel(ntrex).texts == {"fr-CA": ("un",), "en": ("one",)}
    flores = tmp_path / "b"
    write(flores / "dev", eng_Latn__dev="one\n", zho_Hans__dev="一\n")
    write(flores / "devtest", eng_Latn__devtest="two\n", zho_Hans__devtest="二\n")
    assert load_parallel(flores).texts["en"] == ("one",)
    assert load_parallel(flores, part="devtest").texts["zh"] == ("二",)
    with pytest.raises(IsoglossError, match="no part 'test'"):
        load_parallel(flores, part="test")


def test_compressed_files_are_read(tmp_path: Path) -> None:
    write(tmp_path, en__txt="one\n")
    (tmp_path / "de.txt.gz").write_bytes(gzip.compress(b"eins\n"))
    assert load_parallel(tmp_path).texts["de"] == ("eins",)


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    names = {"t.deu-eng.deu": "eins\nzwei\n", "t.deu-eng.eng": "one\ntwo\n", "t.fra-eng.fra": "un\n"}
    for name, text in (names | {"t.fra-eng.eng": "one\n"}).items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_pairs_are_bitexts_with_the_pivot(pairs: Path) -> None:
    bitexts = load_bitexts(pairs)
    assert [text.languages for text in bitexts] == [("en", "de"), ("en", "fr")]
    assert [text.languages for text in load_bitexts(pairs, languages=["fra", "en"])] == [("en", "fr")]


def test_one_pair_is_parallel_text_in_the_order_asked_for(pairs: Path) -> None:
    assert load_parallel(pairs, ["de", "en"]).texts == {"de": ("eins", "zwei"), "en": ("one", "two")}


def test_pairs_that_share_no_rows_are_not_joined(pairs: Path) -> None:
    with pytest.raises(IsoglossError, match="load_bitexts"):
        load_parallel(pairs, ["de", "fr", "en"])
    with pytest.raises(IsoglossError, match="no pair de-fr"):
        load_parallel(pairs, ["de", "fr"])


def test_a_pair_without_its_other_half_is_refused(pairs: Path) -> None:
    (pairs / "t.fra-eng.eng").unlink()
    with pytest.raises(IsoglossError, match=r"other half, '\.eng', is missing"):
        load_parallel(pairs, ["de", "en"])


def test_row_parallel_files_also_make_bitexts(tmp_path: Path) -> None:
    write(tmp_path, de__txt="a\n\n", en__txt="a\nb\n", fr__txt="a\nb\n")
    assert [len(text) for text in load_bitexts(tmp_path)] == [1, 2]


def test_the_revision_follows_the_content_and_nothing_else(tmp_path: Path) -> None:
    one = write(tmp_path / "one", de__txt="a\n", en__txt="a\n")
    two = write(tmp_path / "two", deu__txt="a\n", eng__txt="a\n")
    three = write(tmp_path / "three", de__txt="a\n", en__txt="b\n")
    assert load_parallel(one).revision == load_parallel(two).revision != load_parallel(three).revision


def test_a_catalog_name_is_found_in_the_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_DATA", str(tmp_path))
    monkeypatch.setenv("ISOGLOSS_HOME", str(tmp_path / "home"))
    with pytest.raises(IsoglossError, match=rf"put it in {tmp_path}/ntrex .*data get ntrex"):
        load_parallel("ntrex")
    write(tmp_path / "ntrex", de__txt="a\n", en__txt="a\n")
    assert len(load_parallel("ntrex")) == 1


def test_a_misspelt_name_brings_the_nearest_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(IsoglossError, match="did you mean 'ntrex'"):
        load_parallel("ntrx")
