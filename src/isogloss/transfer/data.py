"""Which records a cell reads, as plain values: a data set, a language, a part of it, and what its files hold."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from isogloss.corpora import load_corpus
from isogloss.corpora.catalog import NLI, PAIRS, PARAPHRASE, TAGGED, TEXT, TREES
from isogloss.corpora.conllu import EMPTY_NODES
from isogloss.corpora.corpus import Corpus
from isogloss.corpora.labdata import is_lab
from isogloss.corpora.record_lines import find_record
from isogloss.digests import require_revision, steady
from isogloss.errors import IsoglossError
from isogloss.shelf import Shelf
from isogloss.tasks import task_class
from isogloss.tasks.screening import OnError, RecordError

KINDS = {"pos": TREES, "parsing": TREES, "ner": TAGGED, "nli": NLI, "paraphrase": PARAPHRASE, "text": TEXT}
_PART = re.compile(r"(\w*)(?:\[([0-9]{0,12}):([0-9]{0,12})\])?")


@dataclass(frozen=True)
class Data:
    """Records of one language. ``part`` may name rows: ``dev[:1600]``. ``revision`` is a hash of their content."""

    name: str
    kind: str
    language: str
    part: str = ""
    limit: int | None = None
    revision: str = ""
    on_error: OnError = "raise"

    def read(self) -> list[Any]:
        """The records."""
        return self.read_counting()[0]

    def read_counting(self) -> tuple[list[Any], Counter[str]]:
        """The records, and how many were left out in reading, by reason."""
        part, rows = _split_part(self.part)
        corpus = _open(self, part, _smallest(rows.stop, None if rows.start else self.limit))
        if not self.revision:
            records, left_out = self._read(corpus, rows)
        else:
            with self.unchanged(corpus):  # also where the records are known already
                records, left_out = _READ.take(self, lambda: self._read(corpus, rows))
        return list(records), Counter(left_out)

    def _read(self, corpus: Corpus[Any], rows: slice) -> "_Read":
        """Only what was there, unchanged, before and after reading is given and kept."""
        with self.unchanged(corpus):
            records = corpus.read(self.language)[rows][: self.limit]
        left_out = {reason: count for reason, count in corpus.left_out.items() if reason != EMPTY_NODES}
        return _Read(tuple(records), left_out)

    @contextmanager
    def unchanged(self, corpus: Corpus[Any]) -> Iterator[None]:
        """Read ``corpus`` inside this block: files that do not hold what ``revision`` says are refused."""
        if not self.revision or not corpus.files:
            yield
            return
        with steady(corpus.files):
            yield
            require_revision(corpus.revision, self.revision, self.describe())

    def find(self, record: Any) -> str | None:
        """``file:line`` of a record of this data; None where it has none."""
        if self.kind == TEXT or record.language != self.language:
            return None
        corpus = _open(self, _split_part(self.part)[0], None)
        return find_record(record, corpus.files)

    def describe(self) -> str:
        """For messages: ``de of ud-pud (test)``."""
        return f"{self.language} of {self.name}" + (f" ({self.part})" if self.part else "")


class _Read(NamedTuple):
    """Records as read, and how many were left out, by reason."""

    records: tuple[Any, ...]
    left_out: dict[str, int]


_READ: Shelf[_Read] = Shelf(size=lambda read: len(read.records))  # by data: its revision names the content


def find_data(
    name: str, task: str, language: str, part: str, limit: int | None = None, on_error: OnError = "raise"
) -> Data:
    """The data of a task (or ``text``) in a language; absent data is an error now, not when a cell runs."""
    given = Data(name, kind_of_data(name, task), language, part, limit, "", on_error)
    bare, _ = _split_part(part)
    corpus = _open(given, bare, limit if is_lab(name) else None)
    return Data(name, given.kind, corpus.languages[0], part, limit, corpus.revision, on_error)


def kind_of_data(name: str, task: str) -> str:
    """The kind of records that a task reads; the lab has pairs of two kinds, files only one."""
    kind = KINDS[task] if task in KINDS else task_class(task).kind
    return PAIRS if kind in (NLI, PARAPHRASE) and not is_lab(name) else kind


def languages_of(name: str, task: str, part: str) -> tuple[str, ...]:
    """All languages that a data set has in a part."""
    corpus = load_corpus(name, kind_of_data(name, task))
    bare, _ = _split_part(part)
    return corpus.languages if not bare else load_corpus(name, kind_of_data(name, task), part=bare).languages


def _open(data: Data, part: str, limit: int | None) -> Corpus[Any]:
    return load_corpus(data.name, data.kind, [data.language], part or None, limit, on_error=data.on_error)


def _split_part(text: str) -> tuple[str, slice]:
    match = _PART.fullmatch(text.strip())
    if match is None:
        raise IsoglossError(f"part '{text}' is not understood", remedy="for example train, dev or dev[:1600]")
    begin, end = (int(number) if number else None for number in (match[2], match[3]))
    if end is not None and end <= (begin or 0):
        raise IsoglossError(f"part '{text}' has no rows", remedy="for example dev[:1600] or dev[1600:2000]")
    return match[1], slice(begin, end)


def _smallest(*limits: int | None) -> int | None:
    return min((limit for limit in limits if limit is not None), default=None)


def read_all(parts: Sequence[Data]) -> tuple[list[Any], Counter[str]]:
    """The records of several languages, one after the other, and how many were left out in reading."""
    read = [part.read_counting() for part in parts]
    return [record for records, _ in read for record in records], sum((left for _, left in read), Counter())


@contextmanager
def telling_lines(parts: Sequence[Data]) -> Iterator[None]:
    """Say in which file and line a record stands that cannot be used."""
    try:
        yield
    except RecordError as error:
        places = (part.find(error.record) for part in parts)
        if place := next((place for place in places if place is not None), None):
            raise IsoglossError(error.what, where=place, remedy=error.remedy) from error
        raise
