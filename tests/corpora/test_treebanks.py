"""CoNLL-U as the guidelines have it: words, multiword tokens, empty nodes; and every fault with its line."""

import random
from collections import Counter
from pathlib import Path

import conllu
import pytest

from isogloss.corpora import load_corpus, load_parallel, load_trees
from isogloss.corpora.conllu import read_trees
from isogloss.corpora.records import Tree
from isogloss.errors import IsoglossError


def row(number: object, form: str, head: object, relation: str = "dep", upos: str = "NOUN", misc: str = "_") -> str:
    return f"{number}\t{form}\t{form.lower()}\t{upos}\t_\tCase=Nom\t{head}\t{relation}\t_\t{misc}\n"


GOOD = "# sent_id = s1\n# text = a = b\n" + row(1, "Anna", 2, "nsubj") + row(2, "geht", 0, "root", "VERB") + "\n"
RICH = (
    row("1-2", "im", "_", upos="_")
    + row(1, "in", 3, "case", "ADP")
    + row(2, "dem", 3, "det", "DET")
    + row(3, "Haus", 0, "root", misc="SpaceAfter=No")
    + row("3.1", "leer", "_")
    + row(4, ".", 3, "punct", "PUNCT")
    + "\n"
)


def read(tmp_path: Path, text: str, on_error: str = "raise") -> tuple[list[Tree], Counter[str]]:
    path = tmp_path / "de_x-ud-test.conllu"
    path.write_bytes(text.encode())
    tally: Counter[str] = Counter()
    return list(read_trees(path, "de", tally, on_error)), tally


def test_a_tree_has_words_tags_heads_relations_and_its_own_id_and_text(tmp_path: Path) -> None:
    (tree,), tally = read(tmp_path, GOOD)
    assert (tree.words, tree.upos, tree.heads) == (("Anna", "geht"), ("NOUN", "VERB"), (2, 0))
    assert (tree.relations, tree.lemmas, tree.feats[0]) == (("nsubj", "root"), ("anna", "geht"), "Case=Nom")
    assert (tree.id, tree.text, tree.language, tally) == ("s1", "a = b", "de", Counter())


def test_multiword_tokens_are_spans_and_empty_nodes_are_left_out_and_counted(tmp_path: Path) -> None:
    (tree,), tally = read(tmp_path, RICH)
    assert tree.words == ("in", "dem", "Haus", ".") and tree.heads == (3, 3, 0, 3)
    assert tree.spans == ((1, 2, "im"),) and tally == {"empty nodes": 1}
    assert tree.text == "im Haus." and tree.id == "de_x-ud-test:1"


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        (GOOD + row(1, "a", 0).replace("\t_\t_\n", "\t_\n"), 6, "9 columns instead of ten"),
        (GOOD + row(1, "a", 0) + row(2, "b", 0), 7, "two roots: words 1 and 2"),
        (GOOD + row(1, "a", 0) + row(2, "b", 3) + row(3, "c", 2), 7, "a cycle: 2 -> 3 -> 2"),
        (GOOD + row(1, "a", 1) + row(2, "b", 0), 6, "a cycle: 1 -> 1"),
        (GOOD + "# c\n" + row(1, "a", 2) + row(2, "b", 1), 7, "no root, and a cycle: 1 -> 2 -> 1"),
        (GOOD + row(1, "a", 0) + row(2, "b", 3), 7, "head 3 in a sentence of 2 words"),
        (GOOD + row(1, "a", 0) + row(2, "b", "x"), 7, "head 'x' is not a number"),
        (GOOD + row(1, "a", 0) + row(3, "b", 1), 7, "id '3' where 2 was due"),
        (GOOD + row("2-3", "ab", "_") + row(1, "a", 0), 6, "multiword token '2-3'"),
        (GOOD + row("1-3", "ab", "_") + row(1, "a", 0) + row(2, "b", 1), 8, "past the last word"),
        (GOOD + row(1, "", 0), 6, "column 2 is empty"),
        (GOOD + "# only a comment\n", 6, "a sentence without words"),
        (GOOD + row(1, "a", 0).replace("\t_\t_\n", "\t_\n") + row(2, "b", 1).rstrip("\n") + "\t_\n", 6, "9 columns"),
    ],
)
def test_what_the_guidelines_forbid_is_named_by_file_and_line(tmp_path: Path, text: str, line: int, what: str) -> None:
    with pytest.raises(IsoglossError, match=rf"de_x-ud-test\.conllu:{line}: .*{what}"):
        read(tmp_path, text)
    trees, tally = read(tmp_path, text + "\n" + GOOD, on_error="skip")
    assert [tree.id for tree in trees] == ["s1", "s1"] and tally["sentences with errors"] == 1


def test_line_numbers_hold_after_blank_lines_and_windows_line_ends(tmp_path: Path) -> None:
    text = ("\n" + GOOD + "\n \n" + row(1, "a", 0) + row(2, "b", 0)).replace("\n", "\r\n")
    with pytest.raises(IsoglossError, match=r"conllu:10: two roots"):
        read(tmp_path, text)


def test_line_numbers_hold_however_a_large_file_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (GOOD + "\n") * 40 + row(1, "a", 1) + "\n"
    for size in (7, 64, 1000, 1_000_000):
        monkeypatch.setattr("isogloss.corpora.lines.BLOCK", size)
        with pytest.raises(IsoglossError, match=rf"conllu:{40 * 6 + 1}: no root, and a cycle: 1 -> 1"):
            read(tmp_path, text)


def test_an_empty_file_and_a_file_of_blanks_are_refused(tmp_path: Path) -> None:
    for text in ("", "\n\n"):
        with pytest.raises(IsoglossError, match=r"empty|no sentence"):
            read(tmp_path, text)


def test_invalid_utf8_is_named_by_line(tmp_path: Path) -> None:
    path = tmp_path / "de_x-ud-test.conllu"
    path.write_bytes(GOOD.encode() + b"1\t\xff\n")
    with pytest.raises(IsoglossError, match=r"conllu:6: not valid UTF-8"):
        load_trees(path).read()


def random_treebank(seed: int, sentences: int = 60) -> str:
    """Valid trees of random shapes, some with multiword tokens and empty nodes."""
    chance, text = random.Random(seed), []
    for number in range(sentences):
        size = chance.randint(1, 25)
        order = chance.sample(range(1, size + 1), size)
        heads = {order[0]: 0} | {word: chance.choice(order[:place]) for place, word in enumerate(order) if place}
        lines, covered = [f"# sent_id = {number}\n"], 0
        for word in range(1, size + 1):
            if covered < word < size and chance.random() < 0.1:
                covered = word + 1
                lines.append(row(f"{word}-{covered}", "xy", "_"))
            lines.append(row(word, f"w{word}", heads[word]))
            if chance.random() < 0.05:
                lines.append(row(f"{word}.1", "e", "_"))
        text.append("".join(lines) + "\n")
    return "".join(text)


@pytest.mark.parametrize("seed", range(4))
def test_trees_agree_with_the_conllu_package(tmp_path: Path, seed: int) -> None:
    text = random_treebank(seed)
    trees, _ = read(tmp_path, text)
    parsed = conllu.parse(text)
    assert len(trees) == len(parsed)
    for tree, theirs in zip(trees, parsed, strict=True):
        words = [token for token in theirs if isinstance(token["id"], int)]
        assert tree.words == tuple(token["form"] for token in words)
        assert tree.heads == tuple(token["head"] for token in words)
        assert tree.relations == tuple(token["deprel"] for token in words)
        ranges = [token for token in theirs if isinstance(token["id"], tuple) and token["id"][1] == "-"]
        assert tree.spans == tuple((token["id"][0], token["id"][2], token["form"]) for token in ranges)


def has_cycle(heads: tuple[int, ...]) -> bool:
    def climbs_for_ever(word: int) -> bool:
        for _ in heads:
            word = heads[word - 1] if word else 0
        return word != 0

    return any(climbs_for_ever(word) for word in range(1, len(heads) + 1))


def test_exactly_the_trees_that_are_no_trees_are_refused(tmp_path: Path) -> None:
    chance = random.Random(0)
    heads = [tuple(chance.randint(0, 4) for _ in range(4)) for _ in range(400)]
    blocks = ["".join(row(n, "w", head) for n, head in enumerate(four, 1)) + "\n" for four in heads]
    trees, tally = read(tmp_path, "".join(blocks), on_error="skip")
    good = [four for four in heads if four.count(0) == 1 and not has_cycle(four)]
    assert [tree.heads for tree in trees] == good
    assert tally["sentences with errors"] == len(heads) - len(good) > 0


@pytest.fixture
def treebanks(tmp_path: Path) -> Path:
    for folder, name, order in (
        ("German-PUD", "de_pud", "ab"),
        ("French-PUD", "fr_pud", "ba"),
        ("French-GSD", "fr_gsd", "ab"),
    ):
        path = tmp_path / f"UD_{folder}" / f"{name}-ud-test.conllu"
        path.parent.mkdir()
        path.write_text("".join(GOOD.replace("s1", i).replace("a = b", f"{name} {i}") for i in order))
    return tmp_path


def test_a_folder_of_treebanks_gives_languages_and_parts(treebanks: Path) -> None:
    corpus = load_corpus(treebanks)
    assert (corpus.kind, set(corpus.languages), corpus.parts) == ("trees", {"de", "fr"}, ("test",))
    assert len(corpus.read("fra")) == 4 and len(corpus.read("de", "test")) == 2
    with pytest.raises(IsoglossError, match="no part 'train'"):
        corpus.read("de", "train")


def test_a_treebanks_name_chooses_among_them(treebanks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_DATA", str(treebanks))
    assert set(load_trees("ud-pud").languages) == {"de", "fr"}
    assert load_trees("ud-gsd").languages == ("fr",)
    with pytest.raises(IsoglossError, match=r"UD_\*-EWT"):
        load_trees("ud-ewt")


def test_parallel_treebanks_pair_up_by_sentence_id(treebanks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_DATA", str(treebanks))
    text = load_parallel("ud-pud", ["de", "fr"])
    assert text.texts == {"de": ("de_pud a", "de_pud b"), "fr": ("fr_pud a", "fr_pud b")}


def test_limit_holds_for_each_language_and_part(treebanks: Path) -> None:
    assert len(load_trees(treebanks, limit=1).read()) == 2


def test_one_file_without_a_code_in_its_name_needs_one_language(tmp_path: Path) -> None:
    path = tmp_path / "mine.conllu"
    path.write_text(GOOD)
    assert load_trees(path, languages=["deu"]).read()[0].language == "de"
    with pytest.raises(IsoglossError, match="no file name here contains a language"):
        load_trees(path)


def test_hidden_tags_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "de_x-ud-test.conllu"
    path.write_text(row(1, "a", 0, upos="_") + "\n")
    with pytest.raises(IsoglossError, match="hidden or placeholders"):
        load_trees(path).read()


def test_left_out_counts_the_last_reading_only(tmp_path: Path) -> None:
    path = tmp_path / "de_x-ud-test.conllu"
    path.write_text(RICH)
    corpus = load_trees(path)
    assert corpus.read() == corpus.read() and corpus.left_out == {"empty nodes": 1}
