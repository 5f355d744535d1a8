"""What a tokeniser does to a language: subwords in words and characters, unknown ones, sentences cut."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from isogloss.encoders import Counts

MUCH_UNKNOWN = 0.01  # of subwords
MUCH_CUT = 0.01  # of sentences
COSTLY = 2.5  # times the subwords of the median language, for the same sentences


@dataclass(frozen=True)
class TokenCounts:
    """Counts of one language."""

    language: str
    sentences: int
    words: int
    characters: int
    tokens: int
    unknown: int
    cut_sentences: int
    cut_tokens: int


def count_tokens(language: str, rows: Sequence[str], read: Counts, prompt: Counts | None = None) -> TokenCounts:
    """The counts of ``rows`` that an encoder has read; what a ``prompt`` added to each of them is taken off."""
    extra = prompt or Counts()
    return TokenCounts(
        language,
        sentences=len(rows),
        words=sum(len(row.split()) for row in rows),
        characters=sum(len(row) for row in rows),
        tokens=max(0, read.tokens + read.cut_tokens - len(rows) * extra.tokens),
        unknown=max(0, read.unknown - len(rows) * extra.unknown),
        cut_sentences=read.cut_sentences,
        cut_tokens=read.cut_tokens,
    )


def poorly_covered(counts: Sequence[TokenCounts], *, parallel: bool) -> Iterator[tuple[str, str]]:
    """Languages that a tokeniser hardly supports, each with the reason."""
    usual = median(one.tokens for one in counts)
    for one in counts:
        if one.tokens and one.unknown > MUCH_UNKNOWN * one.tokens:
            yield one.language, f"{100 * one.unknown / one.tokens:.1f}% of its subwords are unknown"
        if parallel and one.tokens > COSTLY * usual:
            yield one.language, f"it takes {one.tokens / usual:.1f} times the subwords of the median language"
        if one.cut_sentences > MUCH_CUT * one.sentences:
            yield one.language, f"{100 * one.cut_sentences / one.sentences:.1f}% of its sentences are too long and cut"
