"""Where a record stands in its file: looked up when something is wrong with it, so that reading need not remember."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from isogloss.corpora.lines import read_lines
from isogloss.corpora.records import Pair, TaggedSentence, Tree

Line = tuple[int, str]


def find_record(record: Tree | TaggedSentence | Pair, files: Iterable[Path]) -> str | None:
    """``file:line`` of the first line of a record; None where no file has it word for word."""
    for path in files:
        for block in _blocks(path, record):
            if _holds(block, record):
                return f"{path}:{block[0][0]}"
    return None


def _blocks(path: Path, record: Tree | TaggedSentence | Pair) -> Iterator[list[Line]]:
    """The lines that may hold one record: each line for pairs, what stands between blank lines for sentences."""
    block: list[Line] = []
    for line, text in read_lines(path):
        if isinstance(record, Pair):
            yield [(line, text)]
        elif text.strip():
            comment = isinstance(record, Tree) and text.startswith("#")  # elsewhere a word may begin with it
            block += [] if comment else [(line, text)]
        else:
            yield from [block] if block else []
            block = []
    if block:
        yield block


def _holds(block: list[Line], record: Tree | TaggedSentence | Pair) -> bool:
    if isinstance(record, Pair):
        return all(part in block[0][1] for part in (record.first, record.second, record.label))
    tags = record.upos if isinstance(record, Tree) else tuple(tag[1:] for tag in record.tags)  # BIOES differs before it
    lines = iter(text for _, text in block)
    pairs = zip(record.words, tags, strict=True)
    return len(block) >= len(record.words) and all(
        any(_says(text, word, tag) for text in lines) for word, tag in pairs
    )  # each line is used once: multiword tokens and empty nodes are passed over


def _says(line: str, word: str, tag: str) -> bool:
    fields = line.split("\t" if "\t" in line else " ")
    return any(field in (word, f"{field.partition(':')[0]}:{word}") for field in fields) and any(
        field.endswith(tag) for field in fields
    )
