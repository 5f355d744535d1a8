"""Records found again in their files, in the layouts they come in."""

from collections import Counter
from pathlib import Path

from isogloss.corpora.conllu import read_trees
from isogloss.corpora.pairs import read_pairs
from isogloss.corpora.record_lines import find_record
from isogloss.corpora.records import TaggedSentence
from isogloss.corpora.tagged import read_tagged

TREES = """# sent_id = a
1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tdo\tdo\tAUX\t_\t_\t3\taux\t_\t_
2\tn't\tnot\tPART\t_\t_\t3\tadvmod\t_\t_
3\tgo\tgo\tVERB\t_\t_\t0\troot\t_\t_

# sent_id = b
1\tgo\tgo\tNOUN\t_\t_\t0\troot\t_\t_
1.1\tempty\t_\t_\t_\t_\t_\t_\t_\t_
2\ton\ton\tADV\t_\t_\t1\tadvmod\t_\t_

1\tgo\tgo\tVERB\t_\t_\t0\troot\t_\t_
2\ton\ton\tADV\t_\t_\t1\tadvmod\t_\t_
"""
TAGGED = "en:Ann\tS-PER\nen:went\tO\n\nen:Ann\tS-ORG\nen:went\tO\n"
PAIRS = "one man\ta man\tentailment\none man\tno man\tcontradiction\n"


def test_every_tree_tagged_sentence_and_pair_is_found_at_its_line(tmp_path: Path) -> None:
    layouts = {
        "trees.conllu": (TREES, read_trees, [2, 8, 12]),
        "tagged.tsv": (TAGGED, read_tagged, [1, 4]),
        "pairs.tsv": (PAIRS, read_pairs, [1, 2]),
    }
    for name, (text, read, lines) in layouts.items():
        (tmp_path / name).write_text(text)
        records = list(read(tmp_path / name, "en", Counter()))
        assert [find_record(record, [tmp_path / name]) for record in records] == [
            f"{tmp_path / name}:{line}" for line in lines
        ]


def test_a_record_of_another_file_is_not_found(tmp_path: Path) -> None:
    (tmp_path / "one.tsv").write_text(TAGGED)
    (tmp_path / "other.tsv").write_text("Bob\tB-PER\nwent\tO\n")
    (record,) = read_tagged(tmp_path / "other.tsv", "en", Counter())
    assert find_record(record, [tmp_path / "one.tsv"]) is None


def test_a_word_may_begin_as_comments_do(tmp_path: Path) -> None:
    (tmp_path / "ner.tsv").write_text("Anna\tB-PER\n\n#\tO\nDel\tI-PER\n", encoding="utf-8")
    record = TaggedSentence(("#", "Del"), ("O", "I-PER"), "en")
    assert find_record(record, [tmp_path / "ner.tsv"]) == f"{tmp_path / 'ner.tsv'}:3"
