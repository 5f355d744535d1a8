"""Universal Dependencies treebanks: CoNLL-U, a block of sentences at a time, columns at once.

No object is made a token. What the guidelines forbid (two roots, a cycle, a column too few) is an error with
``file:line``, or, with ``on_error="skip"``, a sentence left out and counted.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from sys import intern
from typing import Literal, NamedTuple

import numpy as np

from isogloss.corpora.corpus import Tally
from isogloss.corpora.lines import read_blocks
from isogloss.corpora.records import Tree
from isogloss.errors import IsoglossError

OnError = Literal["raise", "skip"]
Span = tuple[int, int, str]
EMPTY_NODES = "empty nodes"
BROKEN = "sentences with errors"
MEND = "fix the line, or skip and count such sentences with on_error='skip' (--on-error skip)"
BLANK_BETWEEN = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
BLANK_LINES = re.compile(r"(?:[ \t]*\n)*")
RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
LONGEST_NUMBER = 9  # digits
HEAD = re.compile(r"[0-9]{1,9}")


class Block(NamedTuple):
    """A sentence as it stands in the file, and the number of its first line."""

    line: int
    text: str


class SentenceError(Exception):
    """What is wrong with a sentence, and in which line of it."""

    def __init__(self, offset: int, what: str) -> None:
        super().__init__(what)
        self.offset = offset


def read_trees(path: Path, language: str, tally: Tally, on_error: OnError = "raise") -> Iterator[Tree]:
    """Stream the trees of one CoNLL-U file."""
    number, stem = 0, path.stem
    for line, text in read_blocks(path, end=b"\n\n"):
        parsed: list[tuple[Tree, Block]] = []
        for block in _blocks(line, text):
            number += 1
            try:
                parsed.append((_parse(block, language, f"{stem}:{number}", tally), block))
            except SentenceError as error:
                _complain(path, block, error, on_error, tally)
        for (tree, block), wrong in zip(parsed, _check_heads(parsed), strict=True):
            if wrong:
                _complain(path, block, wrong, on_error, tally)
            else:
                yield tree
    if not number:
        raise IsoglossError("no sentence found", where=path, remedy="is this CoNLL-U, ten columns with tabs?")


def parse_tree(text: str, language: str, name: str) -> Tree:
    """One sentence of CoNLL-U, checked; ``name`` stands for the file in complaints."""
    block = Block(1, text.strip("\n"))
    try:
        tree = _parse(block, language, name, Counter())
    except SentenceError as error:
        raise IsoglossError(str(error), where=name, remedy="fix the sentence") from None
    if wrong := _check_heads([(tree, block)])[0]:
        raise IsoglossError(str(wrong), where=name, remedy="fix the sentence")
    return tree


def _complain(path: Path, block: Block, error: SentenceError, on_error: OnError, tally: Tally) -> None:
    if on_error == "raise":
        raise IsoglossError(
            str(error),
            where=f"{path}:{block.line + error.offset}",
            remedy=MEND,
        )
    tally[BROKEN] += 1


def _blocks(line: int, text: str) -> Iterator[Block]:
    """Cut a text at its blank lines."""
    start = match.end() if (match := BLANK_LINES.match(text)) else 0
    line += text.count("\n", 0, start)
    for match in BLANK_BETWEEN.finditer(text, start):
        yield Block(line, text[start : match.start()])
        line += text.count("\n", start, match.end())
        start = match.end()
    if (last := text[start:].rstrip("\n")).strip():
        yield Block(line, last)


def _parse(block: Block, language: str, name: str, tally: Tally) -> Tree:
    """One cut at all tabs and line ends, then every tenth piece is a column."""
    comments, body = _cut_comments(block.text)
    pieces = body.replace("\n", "\t").split("\t")
    size = len(pieces) // 10
    spans: list[Span] = []
    # Ids in their places mean that every line has its ten columns; the rare rest takes the careful way.
    if len(pieces) != 10 * size or tuple(pieces[::10]) != _numbers(size):
        rows = [line.split("\t") for line in body.split("\n")]
        words, spans = _separate(rows, len(comments), tally)
        pieces = [piece for row in words for piece in row]
    return Tree(
        words=_column(pieces, 1, block),
        upos=_column(pieces, 3, block),
        heads=_heads(pieces, block),
        relations=_column(pieces, 7, block),
        language=language,
        id=_comment(comments, "sent_id") or name,
        lemmas=tuple(map(intern, pieces[2::10])),
        feats=tuple(map(intern, pieces[5::10])),
        spans=tuple(spans),
        text=_comment(comments, "text") or _surface(pieces[1::10], pieces[9::10], spans),
    )


def _cut_comments(text: str) -> tuple[list[str], str]:
    comments = []
    while text.startswith("#"):
        line, _, text = text.partition("\n")
        comments.append(line)
    if not text:
        raise SentenceError(0, "a sentence without words")
    return comments, text


def _comment(comments: Sequence[str], name: str) -> str:
    """The value of ``# sent_id = n01`` and its like; empty where there is none."""
    usual = f"# {name} = "
    for line in comments:
        if line.startswith(usual):
            return line[len(usual) :].strip()
    pairs = (line.partition("=") for line in comments)
    return next((value.strip() for key, _, value in pairs if key[1:].strip() == name), "")


@lru_cache(maxsize=1024)
def _numbers(count: int) -> tuple[str, ...]:
    return tuple(map(str, range(1, count + 1)))


def _column(pieces: Sequence[str], place: int, block: Block) -> tuple[str, ...]:
    column = tuple(map(intern, pieces[place::10]))
    if "" in column or (place == 1 and any(map(str.isspace, column))):
        word = next(number for number, cell in enumerate(column, 1) if not cell.strip())
        raise SentenceError(_line_of(block, word), f"column {place + 1} is empty (UD writes '_')")
    return column


def _heads(pieces: Sequence[str], block: Block) -> tuple[int, ...]:
    column = pieces[6::10]
    digits = "".join(column)  # one look at all of them: a loop over words would take as long as the rest of reading
    if "" in column or not (digits.isascii() and digits.isdigit()) or max(map(len, column)) > LONGEST_NUMBER:
        wrong = (pair for pair in enumerate(column, 1) if not HEAD.fullmatch(pair[1]))
        word, head = next(wrong)
        raise SentenceError(_line_of(block, word), f"head '{head[:20]}' is not a number")
    return tuple(map(int, column))


def _separate(rows: list[list[str]], first: int, tally: Tally) -> tuple[list[list[str]], list[Span]]:
    """The words of a sentence that also has multiword tokens (``3-4``), empty nodes (``8.1``) or errors."""
    words: list[list[str]] = []
    spans: list[Span] = []
    for offset, row in enumerate(rows, first):
        if len(row) != 10:
            raise SentenceError(offset, f"{len(row)} columns instead of ten")
        if row[0] == str(len(words) + 1):
            words.append(row)
        elif match := RANGE.fullmatch(row[0]):
            start, stop = int(match[1]), int(match[2])
            if start != len(words) + 1 or stop <= start or (spans and start <= spans[-1][1]):
                raise SentenceError(offset, f"multiword token '{row[0]}' where one from {len(words) + 1} was due")
            spans.append((start, stop, row[1]))
        elif row[0].startswith(f"{len(words)}."):
            tally[EMPTY_NODES] += 1
        else:
            raise SentenceError(offset, f"id '{row[0]}' where {len(words) + 1} was due")
    if not words:
        raise SentenceError(first, "a sentence without words")
    if spans and spans[-1][1] > len(words):
        raise SentenceError(first + len(rows) - 1, f"a multiword token ends at {spans[-1][1]}, past the last word")
    return words, spans


def _line_of(block: Block, word: int) -> int:
    """The line of a sentence that holds the word of this number."""
    wanted = f"{word}\t"
    return next(offset for offset, line in enumerate(block.text.split("\n")) if line.startswith(wanted))


def _check_heads(parsed: Sequence[tuple[Tree, Block]]) -> list[SentenceError | None]:
    """What is wrong with each sentence's heads: out of range, not one root, a cycle; all sentences at once."""
    if not parsed:
        return []
    sizes = np.array([len(tree.heads) for tree, _ in parsed])
    heads = np.concatenate([tree.heads for tree, _ in parsed])
    owner = np.repeat(np.arange(len(sizes)), sizes)
    out = (heads < 0) | (heads > sizes[owner])
    roots = np.bincount(owner, heads == 0, len(sizes))
    # Each word points at its head's place in one long array; place 0 is everybody's root and points at itself.
    starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    jump = np.concatenate(([0], np.where(out | (heads == 0), 0, heads + starts)))
    for _ in range(int(sizes.max()).bit_length()):
        jump = jump[jump]
    wrong = np.bincount(owner, out | (jump[1:] != 0), len(sizes)).astype(bool) | (roots != 1)
    return [_explain(*pair) if bad else None for pair, bad in zip(parsed, wrong.tolist(), strict=True)]


def _explain(tree: Tree, block: Block) -> SentenceError:
    """Say what ``_check_heads`` saw, for one sentence."""
    heads = tree.heads
    for word, head in enumerate(heads, 1):
        if not 0 <= head <= len(heads):
            return SentenceError(_line_of(block, word), f"head {head} in a sentence of {len(heads)} words")
    roots = [word for word, head in enumerate(heads, 1) if head == 0]
    if len(roots) > 1:
        return SentenceError(_line_of(block, roots[1]), f"two roots: words {roots[0]} and {roots[1]}")
    cycle = next(loop for word in range(1, len(heads) + 1) if (loop := _cycle_from(word, heads)))
    rooted = "" if roots else "no root, and "
    return SentenceError(_line_of(block, min(cycle)), f"{rooted}a cycle: {' -> '.join(map(str, cycle))}")


def _cycle_from(word: int, heads: Sequence[int]) -> list[int]:
    """The words on a cycle that climbing from ``word`` runs into, the first one again at the end; or none."""
    climbed = [word]
    while (head := heads[climbed[-1] - 1]) not in {0, *climbed}:
        climbed.append(head)
    return [*climbed[climbed.index(head) :], head] if head else []


def _surface(forms: Sequence[str], misc: Sequence[str], spans: Sequence[Span]) -> str:
    """The text of a sentence whose ``# text`` is missing, from its surface tokens and ``SpaceAfter=No``."""
    multiword = {start: (stop, form) for start, stop, form in spans}
    pieces, word = [], 1
    while word <= len(forms):
        stop, form = multiword.get(word, (word, forms[word - 1]))
        pieces.append(form if "SpaceAfter=No" in misc[stop - 1] else form + " ")
        word = stop + 1
    return "".join(pieces).rstrip()
