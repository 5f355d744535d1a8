"""A written lab stands in for a folder of real data: every loader reads back what the lab made."""

from pathlib import Path

import conllu
import pytest
from typer.testing import CliRunner

from isogloss import corpora
from isogloss.cli import app, register
from isogloss.corpora import write
from isogloss.corpora.lab import Lab, Sizes, preset, write_lab
from isogloss.corpora.lab.folder import steps
from isogloss.corpora.records import Dictionary, TaggedSentence, Tree, WordAlignment
from isogloss.errors import IsoglossError

SMALL = Sizes(
    text=60, trees=20, entities=20, nli=18, paraphrases=12, held_out=12, parallel=25, alignments=10
)  # fmt: skip


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Lab, Path]:
    lab, folder = Lab(preset("families")), tmp_path_factory.mktemp("lab")
    write_lab(lab, folder, SMALL)
    return lab, folder


def test_trees_come_back(written: tuple[Lab, Path]) -> None:
    lab, folder = written
    name = lab.language("qac").name
    path = folder / "ud" / f"UD_{name}-Lab" / "qac_lab-ud-train.conllu"
    assert [tree.words for tree in corpora.load_trees(path)] == [tree.words for tree in lab.trees("qac", 20)]
    assert [tree.heads for tree in corpora.load_trees(path)] == [tree.heads for tree in lab.trees("qac", 20)]
    assert len(conllu.parse(path.read_text(encoding="utf-8"))) == 20


def test_entities_come_back(written: tuple[Lab, Path]) -> None:
    lab, folder = written
    read = list(corpora.load_tagged(folder / "panx" / "test-qab.tsv"))
    assert [(s.words, s.tags) for s in read] == [(s.words, s.tags) for s in lab.entities("qab", 12, "test")]


@pytest.mark.parametrize(
    ("task", "file", "n"), [("nli", "xnli/train-qaf.tsv", 18), ("paraphrases", "pawsx/train-qaf.tsv", 12)]
)
def test_pairs_come_back(written: tuple[Lab, Path], task: str, file: str, n: int) -> None:
    lab, folder = written
    made = getattr(lab, task)("qaf", n)
    read = list(corpora.load_pairs(folder / file))
    assert [(p.first, p.second, p.label) for p in read] == [(p.first, p.second, p.label) for p in made]


def test_parallel_text_comes_back(written: tuple[Lab, Path]) -> None:
    lab, folder = written
    for pool in ("natural", "hard"):
        assert corpora.load_parallel(folder / "parallel" / pool).texts == lab.parallel(25, pool=pool).texts
    qab = (folder / "tatoeba" / "tatoeba.qab-qaa.qab").read_text(encoding="utf-8").splitlines()
    assert tuple(qab) == lab.parallel(25).texts["qab"]


def test_words_come_back(written: tuple[Lab, Path]) -> None:
    lab, folder = written
    assert corpora.load_dictionary(folder / "muse", "qaa", "qad").entries == lab.dictionary("qaa", "qad").entries
    gold = corpora.load_alignments(folder / "alignments", "qaa", "qae")
    assert list(gold.rows) == lab.alignments("qaa", "qae", 10)


def test_typology_comes_back(written: tuple[Lab, Path]) -> None:
    lab, folder = written
    wals = corpora.load_wals(folder / "wals")
    assert len(wals) == len(lab.features())
    assert dict(wals.values("qac"))["81A"] == next(
        f.code for f in lab.features() if (f.language, f.feature) == ("qac", "81A")
    )
    assert {row.family for row in wals.languages.values()} == {language.family for language in lab.languages}


def test_every_text_file_has_its_lines(written: tuple[Lab, Path]) -> None:
    _, folder = written
    sizes = {
        path.parent.name: len(path.read_text(encoding="utf-8").splitlines()) for path in folder.glob("text/*/qad.txt")
    }
    assert sizes == {"lab": 60, "lab-validation": 12, "lab-domain-0": 12, "lab-domain-1": 12}


def test_two_writings_are_the_same_bytes(written: tuple[Lab, Path], tmp_path: Path) -> None:
    _, folder = written
    write_lab(Lab(preset("families")), tmp_path, SMALL)
    first, second = (
        {p.relative_to(root): p.read_bytes() for p in root.rglob("*") if p.is_file()} for root in (folder, tmp_path)
    )
    assert first == second
    assert len(first) > 80


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(IsoglossError) as refusal:
        list(steps(Lab(preset("twins")), tmp_path / "file" / "lab", SMALL))
    assert str(tmp_path / "file" / "lab") in str(refusal.value)


def test_impossible_sizes_are_refused() -> None:
    with pytest.raises(IsoglossError, match="'trees'"):
        Sizes(trees=0)


def test_the_command_writes_a_lab_and_says_where(tmp_path: Path) -> None:
    register()
    options = ["--preset", "twins", "--out", str(tmp_path / "lab"), "--sentences", "30", "--set", "anchors=0.1"]
    result = CliRunner().invoke(app, ["data", "lab", *options, "--set", "order=SVO,SOV"])
    assert result.exit_code == 0, result.output
    assert str(tmp_path / "lab") in result.output.replace("\n", "")
    assert len((tmp_path / "lab/text/lab/qaa.txt").read_text(encoding="utf-8").splitlines()) == 30
    assert '"anchors": 0.1' in (tmp_path / "lab/lab.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("setting", ["anchors", "anchors=-1", "anchor=0.1", "order=SVX", "lexicon=x"])
def test_the_command_refuses_bad_settings(tmp_path: Path, setting: str) -> None:
    register()
    result = CliRunner().invoke(app, ["data", "lab", "--out", str(tmp_path / "lab"), "--set", setting])
    assert isinstance(result.exception, IsoglossError)
    assert not (tmp_path / "lab").exists()


def test_multiword_tokens_are_written_before_their_words(tmp_path: Path) -> None:
    tree = Tree(
        ("a", "la", "casa"), ("ADP", "DET", "NOUN"), (3, 3, 0), ("case", "det", "root"), "es", spans=((1, 2, "ala"),)
    )
    parsed = conllu.parse(write.write_conllu(tmp_path / "x.conllu", [tree]).read_text(encoding="utf-8"))
    assert [token["id"] for token in parsed[0]] == [(1, "-", 2), 1, 2, 3]


def test_possible_links_are_written_apart_from_sure_ones(tmp_path: Path) -> None:
    row = WordAlignment(("a", "b"), ("c", "d"), sure=frozenset({(0, 0)}), possible=frozenset({(0, 0), (1, 1)}))
    write.write_alignments(tmp_path, "qaa", "qab", [row])
    assert (tmp_path / "qaa-qab.gold").read_text(encoding="utf-8") == "1-1 2p2\n"
    assert (tmp_path / "qaa-qab.src-tgt").read_text(encoding="utf-8") == "a b ||| c d\n"


def test_a_phrase_does_not_fit_a_muse_dictionary(tmp_path: Path) -> None:
    with pytest.raises(IsoglossError, match="not two words"):
        write.write_dictionary(tmp_path / "x.txt", Dictionary("en", "de", (("ice cream", "Eis"),)))


def test_a_tag_for_every_word_is_due(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="shorter"):
        write.write_bio(tmp_path / "x.tsv", [TaggedSentence(("a", "b"), ("O",), "en")])
    assert not (tmp_path / "x.tsv").exists()


def test_the_folder_as_it_is_opens_as_plain_text(written: tuple[Lab, Path]) -> None:
    lab, folder = written
    corpus = corpora.load_text(folder)
    assert sorted(corpus.languages) == sorted(lab.codes)
    assert [sentence.text for sentence in corpus.read("qaa")] == lab.text("qaa", SMALL.text)
