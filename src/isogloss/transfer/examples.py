"""From records to what a model reads: rows of subwords, and where in them each word (or the text) is to be found."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from isogloss.encoders.subwords import Subwords, Tokeniser
from isogloss.encoders.windows import place_units
from isogloss.errors import IsoglossError
from isogloss.shelf import Shelf, is_plain
from isogloss.tasks import Labels, Task
from isogloss.tasks.task import Reading
from isogloss.transfer.reading_counts import ReadingCounts

Long = Literal["windows", "cut"]
LanguageUnits = Literal["subwords", "words"]  # of running text, what has a language: every subword, or words
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Row:
    """One input of the model, special tokens included; ``types`` tell a second text from the first."""

    ids: list[int]
    types: list[int] | None
    inside: tuple[int, int]  # the tokens [start, end) that are text


@dataclass(frozen=True, eq=False)
class Example:
    """A sentence or pair: one row, or several that overlap where it is longer than the model."""

    rows: tuple[Row, ...]
    units: Numbers  # units x 2: the row and the token that each unit is read off
    targets: Numbers  # units x columns

    @property
    def length(self) -> int:
        return max(len(row.ids) for row in self.rows)


@dataclass(frozen=True, eq=False)
class Columns:
    """Examples one after the other: a number for each of them, of their rows, tokens or units."""

    rows: Numbers  # of each example
    units: Numbers  # of each example
    lengths: Numbers  # of each row, in tokens
    inside: Numbers  # rows x 2
    ids: Numbers  # of all tokens
    types: Numbers | None  # of all tokens
    places: Numbers  # units x 2, in the rows of their example
    targets: Numbers  # units x columns

    @classmethod
    def of(cls, items: Sequence[Example]) -> "Columns":
        rows = [row for item in items for row in item.rows]
        types = [row.types for row in rows if row.types is not None]
        return cls(
            rows=np.array([len(item.rows) for item in items], dtype=np.int64),
            units=np.array([len(item.units) for item in items], dtype=np.int64),
            lengths=np.array([len(row.ids) for row in rows], dtype=np.int64),
            inside=np.array([row.inside for row in rows], dtype=np.int64).reshape(-1, 2),
            ids=np.array(list(chain.from_iterable(row.ids for row in rows)), dtype=np.int64),
            types=np.array(list(chain.from_iterable(types)), dtype=np.int64) if types else None,
            places=np.concatenate([np.zeros((0, 2), dtype=np.int64), *(item.units for item in items)]),
            targets=np.concatenate([item.targets for item in items]) if items else np.zeros((0, 1), dtype=np.int64),
        )


@dataclass(frozen=True, eq=False)
class Examples:
    """Examples of one part of one language, and what reading them cost."""

    items: list[Example]
    counts: ReadingCounts

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def columns(self) -> Columns:
        """The same as arrays; made once for all cells that share these examples."""
        return Columns.of(self.items)


_LAID_OUT: Shelf[Examples] = Shelf(size=len)


class Reader:
    """Reads records for a task with a model's tokeniser; ``limit`` is the subwords read at once.

    ``typed``: whether the model tells a second text from the first by types. ``last``: words are read off their last
    subword instead of their first, as decoders need, whose first subword has not seen the rest of the word.
    """

    def __init__(
        self, tokenizer: Any, limit: int, long: Long = "windows", typed: bool = True, last: bool = False
    ) -> None:
        self.tokenizer, self.limit, self.long, self.typed, self.last = tokenizer, limit, long, typed, last
        self.tokeniser = Tokeniser(tokenizer)
        self.room = limit - len(self.tokeniser.frame([]))

    def read(self, task: Task[Any], records: Sequence[Any], labels: Labels) -> Examples:
        """Examples of ``records`` in their order; the same ones for every cell of a process that reads them alike."""
        if self.tokeniser.content is None or not is_plain(task):
            return self._read(task, records, labels)
        how = (self.tokeniser.content, self.limit, self.long, self.typed, self.last)
        return _LAID_OUT.take((*how, task, labels, tuple(records)), lambda: self._read(task, records, labels))

    def _read(self, task: Task[Any], records: Sequence[Any], labels: Labels) -> Examples:
        targets = [task.targets(record, labels) for record in records]
        texts = [task.texts(record) for record in records]
        return self._read_words(texts, targets) if task.reading == "words" else self._read_pairs(texts, targets)

    def read_texts(
        self,
        texts: Sequence[str],
        target: int,
        reading: Reading,
        drop_unknown: bool = False,
        units: LanguageUnits = "subwords",
    ) -> Examples:
        """Running text with the target ``target`` (a language), for its ``units`` or for the text as a whole.

        What is too long is cut and counted.
        """
        items, cut = [], 0
        split = reading == "words" and units == "words"
        read = self.tokeniser.read_running_words(texts, 0) if split else self.tokeniser.read_sentences(texts, 0)
        for one in read:
            if drop_unknown and self.tokeniser.count_unknown(one.ids):
                continue
            ids = one.ids[: self.room]
            cut += len(one.ids) - len(ids)
            if ids:
                row = self._row(ids)
                if split:
                    spans = [
                        (begin, min(end, len(ids))) for begin, end in one.spans if begin < end and begin < len(ids)
                    ]
                    places = np.array([row.inside[0] + self._place(*span) for span in spans], dtype=np.int64)
                else:
                    places = np.arange(*row.inside) if reading == "words" else np.zeros(1, dtype=np.int64)
                where = np.stack([np.zeros_like(places), places], axis=1)
                items.append(Example((row,), where, np.full((len(places), 1), target, dtype=np.int64)))
        return Examples(items, ReadingCounts(sentences=len(items), cut_tokens=cut))

    def knows(self, task: Task[Any], record: Any) -> bool:
        """Whether a record has no subword that the vocabulary lacks (Tanti21 leaves the others out)."""
        texts, split = task.texts(record), task.reading == "words"
        read = self.tokeniser.read_words([texts], 0) if split else self.tokeniser.read_sentences(texts, 0)
        return not any(self.tokeniser.count_unknown(one.ids) for one in read)

    def _place(self, begin: int, end: int) -> int:
        """The token that a word with the subwords [begin, end) is read off."""
        return end - 1 if self.last else begin

    def _row(self, ids: list[int]) -> Row:
        start = len(self.tokeniser.prefix)
        return Row(self.tokeniser.frame(ids), None, (start, start + len(ids)))

    def _read_words(self, texts: Sequence[Sequence[str]], targets: Sequence[Numbers]) -> Examples:
        items: list[Example] = []
        counts = ReadingCounts()
        for one, target in zip(self.tokeniser.read_words(texts, 0), targets, strict=True):
            whole, wordless = self._without_gaps(one)
            example, cut = self._lay_out(whole, target)
            items.append(example)
            counts += ReadingCounts(
                sentences=1,
                words=len(target),
                wordless=wordless,
                windowed=int(len(example.rows) > 1),
                cut_sentences=int(cut > 0),
                cut_words=cut,
            )
        return Examples(items, counts)

    def _lay_out(self, one: Subwords, targets: Numbers) -> tuple[Example, int]:
        """The example of a sentence, and how many of its words were cut off (they have no unit)."""
        if self.long == "cut" and len(one.ids) > self.room:
            kept = [span for span in one.spans if span[0] < self.room]
            example, _ = self._lay_out(Subwords(one.ids[: self.room], kept), targets[: len(kept)])
            return example, len(one.spans) - len(kept)
        pieces, _ = place_units(one, 0, self.tokeniser, self.room)
        units = np.zeros((len(one.spans), 2), dtype=np.int64)
        for number, piece in enumerate(pieces):
            units[piece.rows] = [(number, self._place(*span)) for span in piece.spans]
        start, end = len(self.tokeniser.prefix), len(self.tokeniser.suffix)
        rows = tuple(Row(piece.ids, None, (start, len(piece.ids) - end)) for piece in pieces)
        return Example(rows, units, targets), 0

    def _without_gaps(self, one: Subwords) -> tuple[Subwords, int]:
        """Give every word that has no subword the unknown one, so that no word goes without a prediction."""
        gaps = sum(begin == end for begin, end in one.spans)
        if not gaps:
            return one, 0
        ids: list[int] = []
        spans = []
        filler = self.tokeniser.pad if self.tokeniser.unknown is None else self.tokeniser.unknown
        for begin, end in one.spans:
            more = one.ids[begin:end] or [filler]
            spans.append((len(ids), len(ids) + len(more)))
            ids += more
        return Subwords(ids, spans), gaps

    def _read_pairs(self, texts: Sequence[Sequence[str]], targets: Sequence[Numbers]) -> Examples:
        first, second = ([pair[place] for pair in texts] for place in (0, 1))
        special = len(self.tokeniser.frame([])) + 3
        if self.limit <= special:
            raise IsoglossError(
                f"max_tokens is {self.limit}, too few for a pair of texts",
                where="settings",
                remedy="take a larger max_tokens",
            )
        full = self.tokenizer(first, second, padding=False, truncation=False, verbose=False)
        cut = self.tokenizer(first, second, padding=False, truncation="longest_first", max_length=self.limit)
        self.tokeniser.read_whole()  # cutting stays switched on otherwise, for running text too
        typed = self.typed and "token_type_ids" in self.tokenizer.model_input_names and "token_type_ids" in cut
        items = []
        for number, ids in enumerate(cut["input_ids"]):
            types = cut["token_type_ids"][number] if typed else None
            start, end = len(self.tokeniser.prefix), len(self.tokeniser.suffix)
            row = Row(list(ids), types, (start, len(ids) - end))
            items.append(Example((row,), np.zeros((1, 2), dtype=np.int64), targets[number]))
        lost = [len(a) - len(b) for a, b in zip(full["input_ids"], cut["input_ids"], strict=True)]
        counts = ReadingCounts(sentences=len(items), cut_sentences=sum(n > 0 for n in lost), cut_tokens=sum(lost))
        return Examples(items, counts)
