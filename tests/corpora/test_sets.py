"""The lab through the loaders, checks, the catalog's inventory and language-identification sets."""

from pathlib import Path

import pytest

from isogloss.corpora import (
    load_alignments,
    load_bitexts,
    load_corpus,
    load_dictionary,
    load_pairs,
    load_parallel,
    load_tagged,
    load_text,
    load_trees,
    load_wals,
)
from isogloss.corpora.catalog import locate
from isogloss.corpora.check import check
from isogloss.corpora.detect import detect
from isogloss.corpora.inventory import inventory
from isogloss.corpora.lid import LidSettings, build_lid, write_lid
from isogloss.errors import IsoglossError


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def test_the_lab_is_a_corpus_like_any_other() -> None:
    trees = load_trees("lab:twins", part="dev", limit=20)
    assert (trees.languages, trees.parts, len(trees.read("qab"))) == (("qaa", "qab"), ("dev",), 20)
    assert len(load_tagged("lab:twins", ["qaa"], "test", limit=10).read()) == 10
    assert {pair.label for pair in load_pairs("lab:twins", ["qaa"], "test", limit=60)} == {
        "entailment",
        "neutral",
        "contradiction",
    }
    assert {pair.label for pair in load_pairs("lab:twins", ["qaa"], "test", limit=60, task="paraphrase")} == {"0", "1"}
    assert len(load_text("lab:twins", ["qaa"], "train", limit=15).read()) == 15


def test_the_lab_has_parallel_text_words_and_typology() -> None:
    text = load_parallel("lab:twins", limit=12)
    assert text.languages == ("qaa", "qab") and len(text) == 12
    assert len(load_parallel("lab:twins", limit=12, part="hard")) == 12
    assert [bitext.languages for bitext in load_bitexts("lab", limit=5)][:2] == [("qaa", "qab"), ("qaa", "qac")]
    assert load_dictionary("lab:twins", "qaa", "qab").entries
    gold = load_alignments("lab:twins", limit=4)
    assert len(gold.rows) == 4 and " ".join(gold.rows[0].first)
    wals = load_wals("lab")
    assert wals.values("qaa")["81A"].startswith("81A-") and wals.describe("qab").family


def test_a_lab_of_another_seed_or_preset_has_another_revision() -> None:
    names = ("lab:twins", "lab:twins:1", "lab:strangers")
    assert len({load_parallel(name, limit=3).revision for name in names}) == 3
    assert load_trees("lab:twins").revision == load_trees("lab:twins:0").revision


@pytest.mark.parametrize("name", ["lab:nothing", "lab:twins:x"])
def test_a_lab_that_does_not_exist_is_refused(name: str) -> None:
    with pytest.raises(IsoglossError):
        load_trees(name)


def test_what_a_folder_holds_is_told_from_its_files(tmp_path: Path) -> None:
    put(tmp_path / "a" / "de.txt", "x\ny\n")
    put(tmp_path / "a" / "en.txt", "x\ny\n")
    put(tmp_path / "b" / "de.txt", "x\n")
    put(tmp_path / "b" / "en.txt", "x\ny\n")
    put(tmp_path / "c" / "train-de.tsv", "a\tO\nb\tB-PER\n")
    put(tmp_path / "d" / "dev-de.tsv", "a\tb\tneutral\n")
    put(tmp_path / "e" / "en-de.txt", "dog Hund\n")
    put(tmp_path / "f" / "UD_X-Y" / "de_y-ud-test.conllu", "x")
    kinds = [detect(tmp_path / name) for name in "abcdef"]
    assert kinds == ["parallel", "text", "tagged", "pairs", "dictionary", "trees"]


def test_a_folder_of_many_sets_is_not_taken_for_one(tmp_path: Path) -> None:
    put(tmp_path / "xnli" / "dev-de.tsv", "a\tb\tneutral\n")
    put(tmp_path / "ud" / "x.txt", "a")
    with pytest.raises(IsoglossError, match="a folder of data sets: ud, xnli"):
        load_corpus(tmp_path)


def test_check_counts_what_is_there_and_lists_the_first_fault_of_each_file(tmp_path: Path) -> None:
    put(tmp_path / "dev-de.tsv", "a\tb\tneutral\na\tb\tentailment\n")
    put(tmp_path / "dev-en.tsv", "a\tb\tneutral\na\t\tneutral\na\tb\tbad\na\tb\tentailment\n")
    found = check(tmp_path)
    assert (found.kind, [line.records for line in found.lines]) == ("pairs", [2, 2])
    assert found.lines[0].labels == {"neutral": 1, "entailment": 1}
    assert len(found.problems) == 1 and "dev-en.tsv:2" in found.problems[0]
    assert found.left_out == {"rows with errors": 2}


def test_check_reports_what_cannot_be_read_at_all(tmp_path: Path) -> None:
    put(tmp_path / "de.txt", "a\nb\n")
    put(tmp_path / "en.txt", "a\n")
    assert "lines, but" in check(tmp_path, "parallel").problems[0]
    (tmp_path / "en.txt").write_bytes(b"\xff\n")
    assert "not valid UTF-8" in check(tmp_path, "text").problems[0]


def test_the_inventory_says_what_is_here_and_what_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_DATA", str(tmp_path))
    put(tmp_path / "xnli" / "dev-zh.tsv", "a\tb\tneutral\n")
    put(tmp_path / "tatoeba" / "t.deu-eng.deu", "a\n")
    put(tmp_path / "tatoeba" / "t.deu-eng.eng", "a\n")
    holdings = {holding.name: holding for holding in inventory()}
    assert holdings["xnli"].languages == ("zh",) and holdings["xnli"].size == 12
    assert holdings["tatoeba"].languages == ("de", "en")
    assert holdings["ntrex"].folder is None and holdings["ntrex"].command == "isogloss data get ntrex"
    assert holdings["lab"].built_in


@pytest.fixture
def paragraphs(tmp_path: Path) -> Path:
    for code in ("de", "fr"):
        lines = [f"{code} paragraph number {number:04d}" for number in range(100)]
        put(tmp_path / "text" / f"{code}.txt", "\n".join([*lines, "short", lines[0]]) + "\n")
    return tmp_path / "text"


def test_a_language_identification_set_is_split_70_10_10_10_in_every_language(paragraphs: Path, tmp_path: Path) -> None:
    lid = build_lid(load_text(paragraphs), LidSettings(paragraphs=40, characters=10))
    sizes = {part: {code: len(texts) for code, texts in held.items()} for part, held in lid.parts.items()}
    assert sizes == {"train": {"de": 28, "fr": 28}} | {part: {"de": 4, "fr": 4} for part in ("valid", "dev", "test")}
    everything = [text for held in lid.parts.values() for texts in held.values() for text in texts]
    assert len(set(everything)) == 80, "no paragraph is in two parts"
    assert lid.left_out == {"paragraphs that are too short": 2, "paragraphs that stand twice": 2}
    write_lid(lid, tmp_path / "lid")
    again = load_text(tmp_path / "lid", part="dev")
    assert sorted(again.languages) == ["de", "fr"] and len(again.read("de")) == 4


def test_the_draw_depends_on_the_seed_alone(paragraphs: Path) -> None:
    def draw(seed: int) -> object:
        return build_lid(load_text(paragraphs), LidSettings(40, 10, seed)).parts

    assert draw(0) == draw(0) != draw(1)


def test_every_paragraph_is_as_likely_to_be_drawn(paragraphs: Path) -> None:
    drawn = [0] * 100
    for seed in range(200):
        lid = build_lid(load_text(paragraphs, ["de"]), LidSettings(20, 10, seed))
        for texts in lid.parts.values():
            for text in texts["de"]:
                drawn[int(text[-4:])] += 1
    # Binomial(200, 0.2): 40 expected, standard deviation 5.7.
    assert min(drawn) > 15 and max(drawn) < 65
    assert abs(sum(drawn[:50]) - 2000) < 200, "early and late paragraphs alike"


def test_too_little_text_is_refused_with_the_counts(paragraphs: Path) -> None:
    with pytest.raises(IsoglossError, match=r"de 100, fr 100 \(wanted 5,000\)"):
        build_lid(load_text(paragraphs), LidSettings(characters=10))
    fewer = build_lid(load_text(paragraphs), LidSettings(characters=10, allow_fewer=True))
    assert len(fewer.parts["train"]["de"]) == 70


@pytest.mark.parametrize("name", ["missing.csv", "mine.tmx", "news.de", "some/where", "./here"])
def test_a_name_that_looks_like_a_file_is_one_that_is_missing(name: str):
    with pytest.raises(IsoglossError, match="no such file or folder"):
        locate(name)
