"""Pairs of texts with a label: XNLI and MultiNLI (TSV or jsonl), PAWS-X."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from isogloss.bounds import whole_number
from isogloss.corpora.conllu import MEND, OnError
from isogloss.corpora.corpus import Tally
from isogloss.corpora.json_lines import read_fields
from isogloss.corpora.labels import refuse_hidden
from isogloss.corpora.lines import read_lines
from isogloss.corpora.records import Pair
from isogloss.errors import IsoglossError
from isogloss.languages import language as resolve

NLI = ("entailment", "neutral", "contradiction")
PARAPHRASE = ("0", "1")
# XNLI's machine-translated training files say "contradictory"; hub exports count the labels.
SAME_LABEL = {"contradictory": "contradiction"}
NO_GOLD = frozenset({"-", "-1", ""})
NO_CONSENSUS = "pairs without a gold label"
BROKEN = "rows with errors"
FIRST, SECOND, LABEL = ("sentence1", "premise"), ("sentence2", "hypothesis", "hypo"), ("gold_label", "label")
ID, LANGUAGE = ("pairID", "id", "idx"), ("language",)
Row = Mapping[str, str]
Rows = Iterator[tuple[int, Row | ValueError]]  # the number of a line, and its fields or what is wrong with it


def read_pairs(path: Path, language: str, tally: Tally, on_error: OnError = "raise") -> Iterator[Pair]:
    """Stream the pairs of one language; a file that names a language a row (XNLI's own) is filtered by it."""
    rows = _json_rows(path) if ".jsonl" in path.suffixes else _table_rows(path)
    pairs = _pairs(rows, path, language, tally, on_error)
    return refuse_hidden(pairs, lambda pair: (pair.label,), path)


def languages_within(path: Path) -> tuple[str, ...]:
    """The languages of a file that names one per row; empty when its rows name none."""
    rows = _json_rows(path) if ".jsonl" in path.suffixes else _table_rows(path)
    found: dict[str, None] = {}
    for _, row in rows:
        if isinstance(row, ValueError):
            continue
        code = _field(row, LANGUAGE)
        if code is None:
            return ()
        found[resolve(code).code] = None
    return tuple(found)


def _pairs(rows: Rows, path: Path, language: str, tally: Tally, on_error: OnError) -> Iterator[Pair]:
    read_label = _label_reader()
    missing = 0
    for number, (line, row) in enumerate(rows):
        try:
            if isinstance(row, ValueError):
                raise row
            code = _field(row, LANGUAGE)
            if code is not None and resolve(code).code != language:
                continue
            pair = _pair(row, language, str(number), read_label)
        except ValueError as error:
            if on_error == "raise":
                raise IsoglossError(str(error), where=f"{path}:{line}", remedy=MEND) from None
            tally[BROKEN] += 1
            continue
        if pair.label in NO_GOLD:
            missing += 1
        else:
            yield pair
    if missing:
        tally[NO_CONSENSUS] += missing
        if missing == number + 1:
            raise IsoglossError(f"none of {missing} pairs has a label", where=path, remedy="take a labelled part")


def _pair(row: Row, language: str, number: str, read_label: Callable[[str, bool], str]) -> Pair:
    first, second, label = (_field(row, names) for names in (FIRST, SECOND, LABEL))
    if first is None or second is None or label is None:
        raise ValueError(f"no pair and label among the columns {', '.join(row)}")
    if not first.strip() or not second.strip():
        raise ValueError("an empty sentence")
    inference = "premise" in row or "pairID" in row
    name = _field(row, ID) or number
    return Pair(first.strip(), second.strip(), read_label(label.strip(), inference), language, name)


def _label_reader() -> Callable[[str, bool], str]:
    """Read labels of one file, which must all be of one task."""
    task: tuple[str, ...] = ()

    def read(label: str, inference: bool) -> str:
        nonlocal task
        label = SAME_LABEL.get(label, label)
        if label in NO_GOLD:
            return label
        if inference and (number := whole_number(label)) is not None and number < len(NLI):
            label = NLI[number]
        task = task or (NLI if label in NLI else PARAPHRASE)
        if label not in task:
            raise ValueError(f"unknown label '{label}'; {', '.join(task)} are known here")
        return label

    return read


def _field(row: Row, names: Sequence[str]) -> str | None:
    return next((row[name] for name in names if name in row), None)


def _json_rows(path: Path) -> Rows:
    for line, text in read_lines(path):
        if not text.strip():
            continue
        try:
            yield line, read_fields(text)
        except ValueError as error:
            yield line, error


def _table_rows(path: Path) -> Rows:
    """Rows of a TSV without quoting; three columns without a header are first, second, label."""
    header: list[str] = []
    for line, text in read_lines(path):
        fields = text.split("\t")
        if not header:
            header = _header(fields, path)
            if header is fields:
                continue
        if not text.strip():
            continue
        if len(fields) == len(header):
            yield line, dict(zip(header, fields, strict=True))
        else:
            yield line, ValueError(f"{len(fields)} columns where {len(header)} are due")


def _header(fields: list[str], path: Path) -> list[str]:
    if any(name in fields for name in FIRST):
        return fields
    if len(fields) != 3:
        raise IsoglossError(
            f"{len(fields)} columns instead of first text, second text and label",
            where=f"{path}:1",
            remedy="a test set without labels cannot be scored; tabs must separate the columns",
        )
    return ["sentence1", "sentence2", "label"]
