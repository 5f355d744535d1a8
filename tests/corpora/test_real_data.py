"""The loaders on real data sets, named by ISOGLOSS_DATA: sizes that are known, and no language without a family."""

from itertools import pairwise
from pathlib import Path

import pytest

from isogloss.corpora import (
    load_alignments,
    load_bitexts,
    load_dictionary,
    load_pairs,
    load_parallel,
    load_tagged,
    load_text,
    load_trees,
    load_wals,
)
from isogloss.corpora.check import check
from isogloss.languages import language

pytestmark = [pytest.mark.real, pytest.mark.usefixtures("real_data")]
PUD = {"ar", "cs", "de", "en", "es", "fi", "fr", "hi", "id", "it", "pl", "pt", "ru", "tr", "zh"}


def test_fifteen_parallel_treebanks_have_a_thousand_trees_each() -> None:
    corpus = load_trees("ud-pud")
    trees = {code: corpus.read(code) for code in corpus.languages}
    assert trees.keys() >= PUD and {len(found) for found in trees.values()} == {1000}
    assert len({tuple(tree.id for tree in found) for found in trees.values()}) == 1, "sentence ids pair up"
    for tree in (tree for found in trees.values() for tree in found):
        assert tree.heads.count(0) == 1 and tree.relations[tree.heads.index(0)] == "root"
        assert all(first <= last for first, last, _ in tree.spans) and all(a[1] < b[0] for a, b in pairwise(tree.spans))


def test_the_english_web_treebank_has_its_parts_multiword_tokens_and_empty_nodes() -> None:
    corpus = load_trees("ud-ewt")
    trees = {part: corpus.read("en", part) for part in ("train", "dev", "test")}
    assert {part: len(found) for part, found in trees.items()} == {"train": 12544, "dev": 2001, "test": 2077}
    assert any(tree.spans for tree in trees["train"]) and corpus.left_out["empty nodes"] > 0


def test_parallel_treebanks_are_parallel_text() -> None:
    text = load_parallel("ud-pud", ["en", "de", "zh"])
    assert len(text) == 1000 and text.languages == ("en", "de", "zh")


def test_both_layouts_of_wikiann_hold_the_same_english_sentences() -> None:
    wikiann = load_tagged("wikiann", ["en"], "train").read()
    panx = load_tagged("panx", ["en"], "train").read()
    assert len(wikiann) == len(panx) == 20000
    assert [(one.words, one.tags) for one in wikiann] == [(other.words, other.tags) for other in panx]


def test_wikiann_and_panx_have_their_languages_parts_and_tags() -> None:
    wikiann = load_tagged("wikiann")
    assert set(wikiann.languages) == {"de", "en", "es", "ru"} and set(wikiann.parts) == {"train", "dev", "test"}
    sizes = {part: len(wikiann.read("ru", part)) for part in wikiann.parts}
    assert sizes == {"train": 20000, "dev": 10000, "test": 10000}
    panx = load_tagged("panx", part="dev")
    assert set(panx.languages) == {"en", "ar", "zh", "fr", "hi", "tr", "fi", "id", "it", "pt", "ja"}
    tags = {tag for sentence in panx.stream("ja") for tag in sentence.tags}
    assert tags == {"O", *(f"{place}-{kind}" for place in "BI" for kind in ("PER", "LOC", "ORG"))}


def test_inference_pairs_are_row_parallel_in_fifteen_languages() -> None:
    corpus = load_pairs("xnli", part="dev")
    labels = {code: tuple(pair.label for pair in corpus.stream(code)) for code in corpus.languages}
    assert len(labels) == 15 and {len(found) for found in labels.values()} == {2490} and len(set(labels.values())) == 1
    assert len(load_pairs("xnli", ["en"], "train").read()) == 18000
    assert len(load_pairs("xnli", ["en"], "valid").read()) == 2000


def test_paraphrases_are_there_in_five_languages() -> None:
    corpus = load_pairs("pawsx", part="dev")
    assert {code: len(corpus.read(code)) for code in corpus.languages} == dict.fromkeys(
        ("de", "en", "es", "fr", "zh"), 2000
    )
    assert {pair.label for pair in corpus} == {"0", "1"}


def test_every_language_of_ntrex_has_a_family_script_and_place() -> None:
    text = load_parallel("ntrex")
    assert len(text.languages) >= 58 and len(text) == 1997 and not text.left_out
    described = [language(code) for code in text.languages]
    assert all(known.family and known.genus and known.script and known.latitude is not None for known in described)


def test_tatoeba_pairs_thirty_six_languages_with_english() -> None:
    bitexts = load_bitexts("tatoeba")
    assert len(bitexts) >= 36 and all(bitext.languages[0] == "en" for bitext in bitexts)
    sizes = {bitext.languages[1]: len(bitext) for bitext in bitexts}
    assert (sizes["de"], sizes["sw"], sizes["te"]) == (1000, 390, 234)
    assert all(language(code).family for code in sizes)


def test_plain_text_and_the_bible_are_read_whole() -> None:
    assert len(load_text("tatoeba-text").languages) == 16
    assert sum(1 for _ in load_text("tatoeba-text", ["zh"])) == 27746
    verses = load_parallel("bible", ["en", "de", "cs"])
    assert len(verses) == 30961 and verses.left_out == {"rows that are blank in some language": 41899 - 30961}


def test_dictionaries_have_a_training_and_a_test_part() -> None:
    for target in ("de", "fr", "it", "ru"):
        assert len(load_dictionary("dictionaries", "en", target, "train").entries) == 5000
        assert len(load_dictionary("dictionaries", "en", target, "test").entries) == 2000


def test_gold_alignments_have_sure_and_possible_links() -> None:
    french, chinese = load_alignments("alignments", "en", "fr"), load_alignments("alignments", "zh", "en")
    assert (len(french.rows), len(chinese.rows)) == (447, 450)
    for row in (*french.rows, *chinese.rows):
        assert row.sure <= row.possible and row.possible
    assert sum(len(row.possible - row.sure) for row in french.rows) > 1000


def test_wals_has_its_features_and_agrees_with_the_shipped_table() -> None:
    wals = load_wals()
    assert (len(wals), len(wals.features)) == (76475, 192) and len(wals.languages) >= 2660
    assert wals.value_names[wals.values("de")["81A"]] == "No dominant order"
    assert wals.value_names[wals.values("tur")["81A"]] == "SOV"
    for code in ("de", "zh", "sw", "fi", "tr", "ar"):
        known, there = language(code), wals.describe(code)
        assert (known.family, known.genus) == (there.family, there.genus)
        assert there.latitude == pytest.approx(known.latitude, abs=0.06)
    assert wals.describe("lez").family == "Nakh-Daghestanian"


@pytest.mark.parametrize("name", ["ntrex", "tatoeba", "xnli", "pawsx", "panx", "ud-ewt", "alignments", "wals", "bible"])
def test_nothing_is_wrong_with_any_of_them(name: str) -> None:
    assert check(name).problems == ()


def test_revisions_do_not_depend_on_where_the_data_lie(real_data: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for code in ("deu", "eng"):
        (copy / f"{code}.txt").write_bytes((real_data / "ntrex" / f"{code}.txt").read_bytes())
    assert load_parallel(copy).revision == load_parallel("ntrex", ["de", "en"]).revision
