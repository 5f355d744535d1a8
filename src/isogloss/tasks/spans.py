"""Named entities: from BIO tags to spans, Wu20's repair of invalid sequences, and span F1."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from isogloss.errors import IsoglossError
from isogloss.tasks.tallies import Floats, Tally, divide

Span = tuple[str, int, int]  # type, first word, word after the last


def read_spans(tags: Sequence[str]) -> list[Span]:
    """The spans of a BIO sequence; an ``I-X`` that continues no span of its type begins one, as in conlleval."""
    spans: list[Span] = []
    for position, tag in enumerate(tags):
        mark, _, kind = tag.partition("-")
        if mark == "I" and spans and spans[-1][0] == kind and spans[-1][2] == position:
            spans[-1] = (kind, spans[-1][1], position + 1)
        elif mark in ("B", "I"):
            spans.append((kind, position, position + 1))
        elif tag != "O":
            raise IsoglossError(f"'{tag}' is not a BIO tag", where=f"word {position + 1}", remedy="O, B-X or I-X")
    return spans


def repair_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Wu20 §3.2: a stray ``I-X`` becomes ``B-X``; a span whose tags disagree takes the type of its last tag."""
    repaired = list(tags)
    start = 0
    while start < len(repaired):
        if repaired[start] == "O":
            start += 1
            continue
        end = start + 1
        while end < len(repaired) and repaired[end].startswith("I-"):
            end += 1
        kind = repaired[end - 1].partition("-")[2]
        repaired[start:end] = [f"B-{kind}", *[f"I-{kind}"] * (end - start - 1)]
        start = end
    return tuple(repaired)


def first_jump(tags: Sequence[str]) -> int | None:
    """Where a BIO sequence is invalid (an ``I-X`` that continues no span of type X); None if valid."""
    for position, tag in enumerate(tags):
        before = tags[position - 1] if position else "O"
        if tag.startswith("I-") and before.partition("-")[2] != tag[2:]:
            return position
    return None


@dataclass(frozen=True, eq=False)
class SpanTally(Tally):
    """Columns: spans found with the right type and boundaries, spans predicted, spans in gold."""

    measures: ClassVar[tuple[str, ...]] = ("f1", "precision", "recall")

    @classmethod
    def count(cls, gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]], repair: bool = False) -> Self:
        """Tally predicted BIO tags against gold ones; ``repair`` fixes the predicted ones by Wu20's rule first."""
        if [len(tags) for tags in gold] != [len(tags) for tags in predicted]:
            raise IsoglossError("gold and predicted tags do not have the same lengths")
        rows = []
        for right, guess in zip(gold, predicted, strict=True):
            there, found = set(read_spans(right)), set(read_spans(repair_tags(guess) if repair else guess))
            rows.append((len(there & found), len(found), len(there)))
        return cls(np.array(rows, dtype=np.int64).reshape(-1, 3))

    def __add__(self, other: Self) -> Self:
        return type(self)(np.concatenate([self.counts, other.counts]))

    def ratios(self, sums: Floats) -> dict[str, Floats]:
        hits, found, there = np.moveaxis(sums, -1, 0)
        return {
            "f1": divide(2 * hits, found + there, empty=0.0),
            "precision": divide(hits, found, empty=0.0),
            "recall": divide(hits, there, empty=0.0),
        }
