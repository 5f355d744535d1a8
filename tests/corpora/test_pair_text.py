"""Parallel text out of pairs: XNLI's sentences in all languages, and sentences beside their paraphrases."""

from pathlib import Path

import pytest

from isogloss.corpora import load_bitexts, load_parallel, load_paraphrases
from isogloss.errors import IsoglossError


def write_xnli(folder: Path, part: str, **rows: list[tuple[str, str, str]]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for code, pairs in rows.items():
        text = "".join(f"{first}\t{second}\t{label}\n" for first, second, label in pairs)
        (folder / f"{part}-{code}.tsv").write_text(text, encoding="utf-8")
    return folder


EN = [("a dog", "an animal", "entailment"), ("a dog", "a cat", "contradiction")]
DE = [("ein Hund", "ein Tier", "entailment"), ("ein Hund", "eine Katze", "contradiction")]


@pytest.fixture
def xnli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ISOGLOSS_DATA", str(tmp_path))
    write_xnli(tmp_path / "xnli", "dev", en=[("x", "y", "neutral")], de=[("u", "v", "neutral")])
    return write_xnli(tmp_path / "xnli", "test", en=EN, de=DE)


def test_the_sentences_of_xnli_are_parallel_text_of_its_test_part(xnli: Path) -> None:
    text = load_parallel("xnli", ["en", "de"])
    assert text.texts["en"] == ("a dog", "an animal", "a cat")
    assert text.texts["de"] == ("ein Hund", "ein Tier", "eine Katze")
    assert text.left_out["sentences that came before"] == 1
    assert len(load_parallel("xnli", ["en", "de"], limit=2)) == 2
    assert load_parallel("xnli", part="dev").texts["de"] == ("u", "v")


def test_bitexts_come_from_pairs_too(xnli: Path) -> None:
    (bitext,) = load_bitexts("xnli", "en")
    assert bitext.languages == ("en", "de")


def test_pairs_in_another_order_are_refused(xnli: Path) -> None:
    write_xnli(xnli, "test", de=DE[::-1])
    with pytest.raises(IsoglossError, match="pair 1 has different labels"):
        load_parallel("xnli", ["en", "de"])
    write_xnli(xnli, "test", de=DE[:1])
    with pytest.raises(IsoglossError, match="1 pairs in 'de'"):
        load_parallel("xnli", ["en", "de"])


def test_a_file_of_back_translations_stands_beside_its_sentences(tmp_path: Path) -> None:
    path = tmp_path / "back.tsv"
    path.write_text("It rains.\tIt is raining.\n\nHe left.\tHe went away.\n", encoding="utf-8")
    text = load_paraphrases(path, "en")
    assert text.texts == {"en": ("It rains.", "He left."), "en'": ("It is raining.", "He went away.")}
    path.write_text("only one column\n", encoding="utf-8")
    with pytest.raises(IsoglossError, match=r"back.tsv:1"):
        load_paraphrases(path, "en")


def test_the_lab_makes_its_own_paraphrases() -> None:
    text = load_paraphrases("lab:twins", "qaa", limit=20)
    assert len(text) == 20 and text.languages == ("qaa", "qaa'")
    assert any(first != second for first, second in zip(*text.texts.values(), strict=True))


def test_labelled_paraphrases_give_the_pairs_that_say_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_DATA", str(tmp_path))
    write_xnli(tmp_path / "pawsx", "dev", en=[("a", "b", "1"), ("c", "d", "0")])
    assert load_paraphrases("pawsx", "en").texts == {"en": ("a",), "en'": ("b",)}
