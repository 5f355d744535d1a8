"""A window of text laid out for the model: what is read as one input, what is cut, which row comes from where."""

from collections.abc import Sequence, Sized
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.encoders.blocks import Counts
from isogloss.encoders.levels import Piece
from isogloss.encoders.subwords import Subwords, Tokeniser
from isogloss.errors import IsoglossError
from isogloss.shelf import Shelf

Text = str | Sequence[str]  # running text, or pre-split words
Span = tuple[int, int]
OVERLAP = 4  # neighbouring windows share a quarter of their subwords
SHARED = 1000  # sentences, up to which a window is kept for another cell


@dataclass(frozen=True, eq=False)
class Window:
    """Consecutive sentences, ready to be read; arrays as in a Block."""

    pieces: list[Piece]
    sentence: NDArray[np.int64]
    position: NDArray[np.int64]
    missing: NDArray[np.bool_]
    counts: Counts


_LAID_OUT: Shelf[Window] = Shelf(size=lambda window: len(window.pieces))


def rows_of(text: object, level: str) -> int:
    """How many rows a text will have; for tokens a guess that is rarely too low."""
    if level == "sentence" or not isinstance(text, Sized):
        return 1
    return len(text) if level == "word" else max(1, len(text) // 2)


def lay_out_once(
    texts: Sequence[Text], start: int, level: str, pooling: str, tokeniser: Tokeniser, room: int, prompt: str = ""
) -> Window:
    """As ``lay_out``; the same window for everybody in this process who reads few sentences alike.

    Cells of a study compare the same sentences in one fine-tuned model after another.
    """
    if level != "sentence" or tokeniser.content is None or len(texts) > SHARED:
        return lay_out(texts, start, level, pooling, tokeniser, room, prompt)
    key = (tokeniser.content, tuple(texts), start, pooling, room, prompt)
    return _LAID_OUT.take(key, lambda: lay_out(texts, start, level, pooling, tokeniser, room, prompt))


def lay_out(
    texts: Sequence[Text], start: int, level: str, pooling: str, tokeniser: Tokeniser, room: int, prompt: str = ""
) -> Window:
    """Tokenise ``texts`` (the first is number ``start``) and lay them out; ``room`` is the subwords read at once.

    A prompt stands before sentences only: words and tokens are read as they are.
    """
    if level == "sentence":
        return lay_out_sentences(tokeniser.read_sentences(texts, start, prompt), start, pooling, tokeniser, room)
    if level == "word":
        return lay_out_units(tokeniser.read_words(texts, start), start, pooling, tokeniser, room, words=True)
    read = tokeniser.read_sentences(texts, start)
    each = [Subwords(one.ids, [(place, place + 1) for place in range(len(one.ids))]) for one in read]
    return lay_out_units(each, start, pooling, tokeniser, room, words=False)


def lay_out_sentences(read: Sequence[Subwords], start: int, pooling: str, tokeniser: Tokeniser, room: int) -> Window:
    """One row per sentence; what does not fit is cut and counted."""
    pieces, counts = [], Counts(sentences=len(read))
    for row, one in enumerate(read):
        if not one.ids:
            raise IsoglossError(
                "this text has no subword",
                where=f"text {start + row + 1}",
                remedy="leave it out, in every language",
            )
        kept = one.ids[:room]
        lost = len(one.ids) - len(kept)
        counts += Counts(
            tokens=len(kept), unknown=tokeniser.count_unknown(kept), cut_sentences=int(lost > 0), cut_tokens=lost
        )
        pieces.append(tokeniser.sentence_piece(kept, row, pooling))
    rows = np.arange(len(read))
    return Window(pieces, rows + start, np.zeros_like(rows), np.zeros(len(rows), dtype=bool), counts)


def lay_out_units(
    read: Sequence[Subwords], start: int, pooling: str, tokeniser: Tokeniser, room: int, *, words: bool
) -> Window:
    """One row per word or token; long sentences are read in overlapping windows, so that nothing is lost."""
    pieces: list[Piece] = []
    sentence: list[int] = []
    position: list[int] = []
    missing: list[bool] = []
    counts = Counts(sentences=len(read))
    for number, one in enumerate(read, start):
        made, cut = place_units(one, len(sentence), tokeniser, room)
        pieces += [_first_only(piece) for piece in made] if pooling == "first" else made
        sentence += [number] * len(one.spans)
        position += range(len(one.spans))
        wordless = [begin == end for begin, end in one.spans]
        missing += wordless
        counts += Counts(
            words=len(one.spans) if words else 0, tokens=len(one.ids), unknown=tokeniser.count_unknown(one.ids),
            windowed_sentences=int(len(one.ids) > room), cut_words=cut, wordless=sum(wordless),
        )  # fmt: skip
    return Window(
        pieces,
        np.array(sentence, dtype=np.int64),
        np.array(position, dtype=np.int64),
        np.array(missing, dtype=bool),
        counts,
    )


def place_units(one: Subwords, first_row: int, tokeniser: Tokeniser, room: int) -> tuple[list[Piece], int]:
    """The inputs a sentence is read in, and how many of its words had to be cut.

    Each word is read off the window where it stands furthest from an edge.
    """
    units = [(first_row + place, span) for place, span in enumerate(one.spans) if span[1] > span[0]]
    if not units:
        return [], 0
    windows = window_spans(len(one.ids), room)
    begin = np.array([span[0] for _, span in units])[:, None]  # units x 1
    end = np.array([span[1] for _, span in units])[:, None]
    low = np.array([window[0] for window in windows])  # windows
    high = np.array([window[1] for window in windows])
    left = np.where(low == 0, len(one.ids), begin - low)  # the sentence's own edge is no loss of context
    right = np.where(high == len(one.ids), len(one.ids), high - end)
    best = np.minimum(left, right).argmax(axis=1)
    pieces, cut = [], 0
    for number, (lower, upper) in enumerate(windows):
        here = [units[place] for place in np.flatnonzero(best == number)]
        cut += sum(span[0] < lower or span[1] > upper for _, span in here)
        shift = len(tokeniser.prefix) - lower
        spans = [(max(span[0], lower) + shift, min(span[1], upper) + shift) for _, span in here]
        if here:
            pieces.append(Piece(tokeniser.frame(one.ids[lower:upper]), [row for row, _ in here], spans))
    return pieces, cut


def window_spans(length: int, room: int) -> list[Span]:
    """Windows of ``room`` subwords that overlap by a quarter or more and cover ``length`` subwords."""
    if length <= room:
        return [(0, length)]
    step = room - room // OVERLAP
    starts = [*range(0, length - room, step), length - room]
    return [(start, start + room) for start in starts]


def _first_only(piece: Piece) -> Piece:
    return piece._replace(spans=[(begin, begin + 1) for begin, _ in piece.spans])
