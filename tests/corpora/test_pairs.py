"""Pairs of texts: XNLI's and MultiNLI's own files, XTREME's tables, PAWS-X."""

import json
from pathlib import Path

import pytest

from isogloss.corpora import load_corpus, load_pairs
from isogloss.errors import IsoglossError


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def jsonl(*rows: dict[str, object]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_xtremes_tables_have_two_texts_and_a_label(tmp_path: Path) -> None:
    put(tmp_path / "dev-de.tsv", 'Er "kam\tEr ging\tneutral\nA\tB\tentailment\n')
    put(tmp_path / "valid-en.tsv", "A\tB\tneutral\nA\tC\tcontradiction\n")
    corpus = load_corpus(tmp_path)
    assert (corpus.kind, corpus.languages, corpus.parts) == ("pairs", ("de", "en"), ("dev", "valid"))
    first, second = corpus.read("de")
    assert (first.first, first.second, first.label, first.id) == ('Er "kam', "Er ging", "neutral", "0")
    assert second.id == "1"


def test_dev_and_valid_stand_in_for_each_other_where_only_one_is_there(tmp_path: Path) -> None:
    put(tmp_path / "valid-en.tsv", "A\tB\tneutral\nA\tC\tcontradiction\n")
    assert len(load_pairs(tmp_path, part="dev").read()) == 2


def test_xnlis_own_file_names_a_language_a_row(tmp_path: Path) -> None:
    row = {"sentence1": "p", "sentence2": "h", "pairID": "7", "annotator": 1}
    rows = [
        row | {"language": code, "gold_label": label} for code in ("ar", "zh") for label in ("neutral", "entailment")
    ]
    put(tmp_path / "xnli.dev.jsonl", jsonl(*rows))
    put(tmp_path / "xnli.dev.tsv", "language\tgold_label\tsentence1\tsentence2\nar\tneutral\tx\ty\n")
    corpus = load_pairs(tmp_path)
    assert corpus.languages == ("ar", "zh") and corpus.parts == ("dev",)
    assert [(pair.label, pair.id) for pair in corpus.stream("zho")] == [("neutral", "7"), ("entailment", "7")]


def test_multinli_is_english_and_pairs_without_consensus_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"sentence1": "p", "sentence2": "h", "gold_label": label} for label in ("neutral", "-", "entailment")]
    put(tmp_path / "mnli" / "multinli_1.0_train.jsonl", jsonl(*rows))
    monkeypatch.setenv("ISOGLOSS_DATA", str(tmp_path))
    corpus = load_pairs("mnli")
    assert (corpus.languages, corpus.parts, len(corpus.read())) == (("en",), ("train",), 2)
    assert corpus.left_out == {"pairs without a gold label": 1}


def test_translated_training_files_say_contradictory_and_have_a_header(tmp_path: Path) -> None:
    put(tmp_path / "multinli.train.de.tsv", "premise\thypo\tlabel\na\tb\tcontradictory\na\tb\tneutral\n")
    assert [pair.label for pair in load_pairs(tmp_path)] == ["contradiction", "neutral"]


def test_counted_labels_of_hub_exports_are_named(tmp_path: Path) -> None:
    rows = [{"premise": "p", "hypothesis": "h", "label": label} for label in (0, 1, 2)]
    put(tmp_path / "train-fr.jsonl", jsonl(*rows))
    assert [pair.label for pair in load_pairs(tmp_path)] == ["entailment", "neutral", "contradiction"]


def test_pawsx_has_its_own_layout_and_labels(tmp_path: Path) -> None:
    put(tmp_path / "de" / "dev_2k.tsv", "id\tsentence1\tsentence2\tlabel\n1\ta\tb\t0\n2\ta\tb\t1\n")
    put(tmp_path / "de" / "translated_train.tsv", "id\tsentence1\tsentence2\tlabel\n1\ta\tb\t0\n2\ta\tb\t1\n")
    corpus = load_pairs(tmp_path)
    assert set(corpus.parts) == {"dev", "train"}
    assert [(pair.id, pair.label) for pair in corpus.stream("de", "dev")] == [("1", "0"), ("2", "1")]


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("a\tb\tneutral\na\tb\n", 2, "2 columns where 3 are due"),
        ("a\tb\n", 1, "2 columns instead of first text, second text and label"),
        ("a\tb\tneutral\na\tb\tmaybe\n", 2, "unknown label 'maybe'"),
        ("a\tb\tneutral\na\tb\t1\n", 2, "unknown label '1'"),
        ("a\tb\tneutral\n \tb\tneutral\n", 2, "an empty sentence"),
    ],
)
def test_a_fault_is_named_by_file_and_line(tmp_path: Path, text: str, line: int, what: str) -> None:
    put(tmp_path / "dev-de.tsv", text)
    with pytest.raises(IsoglossError, match=rf"dev-de\.tsv:{line}: {what}"):
        load_pairs(tmp_path).read()


def test_rows_with_faults_can_be_left_out_and_are_counted(tmp_path: Path) -> None:
    put(tmp_path / "dev-de.tsv", "a\tb\tneutral\na\t\tneutral\na\tb\tmaybe\na\tb\tentailment\n")
    corpus = load_pairs(tmp_path, on_error="skip")
    assert len(corpus.read()) == 2 and corpus.left_out == {"rows with errors": 2}


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    put(tmp_path / "dev-de.jsonl", '{"sentence1": "a"\n')
    with pytest.raises(IsoglossError, match=r"dev-de\.jsonl:1: not JSON"):
        load_pairs(tmp_path).read()


@pytest.mark.parametrize("label", ["neutral", "0", "-1"])
def test_placeholder_labels_are_refused(tmp_path: Path, label: str) -> None:
    put(tmp_path / "test-de.tsv", f"a\tb\t{label}\n" * 30)
    with pytest.raises(IsoglossError, match=r"test-de\.tsv: .*(placeholders|has a label)"):
        load_pairs(tmp_path).read()


def test_a_long_run_of_one_label_at_the_start_is_no_placeholder(tmp_path: Path) -> None:
    put(tmp_path / "train-de.tsv", "a\tb\t0\n" * 500 + "a\tb\t1\n")
    assert len(load_pairs(tmp_path).read()) == 501
    assert len(load_pairs(tmp_path, limit=3).read()) == 3
