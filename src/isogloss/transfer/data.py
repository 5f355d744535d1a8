"""Which records a cell reads, as plain values: a data set, a language, a part of it, and what its files hold."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from isogloss.corpora import load_corpus
from isogloss.corpora.catalog import NLI, PAIRS, PARAPHRASE, TAGGED, TEXT, TREES
from isogloss.corpora.corpus import Corpus
from isogloss.corpora.labdata import is_lab
from isogloss.errors import IsoglossError
from isogloss.tasks.screening import OnError

KINDS = {"pos": TREES, "parsing": TREES, "ner": TAGGED, "nli": NLI, "paraphrase": PARAPHRASE, "text": TEXT}
_PART = re.compile(r"(\w*)(?:\[(\d*):(\d*)\])?")


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
        part, rows = _split_part(self.part)
        stop = rows.stop if rows.stop is not None else None
        corpus = _open(self, part, _smallest(stop, None if rows.start else self.limit))
        records = corpus.read(self.language)[rows]
        return records[: self.limit]

    def describe(self) -> str:
        """For messages: ``de of ud-pud (test)``."""
        return f"{self.language} of {self.name}" + (f" ({self.part})" if self.part else "")


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
    if task not in KINDS:
        raise IsoglossError(f"no data is known for task '{task}'", remedy=f"known: {', '.join(KINDS)}")
    return PAIRS if KINDS[task] in (NLI, PARAPHRASE) and not is_lab(name) else KINDS[task]


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
    return match[1], slice(begin, end)


def _smallest(*limits: int | None) -> int | None:
    return min((limit for limit in limits if limit is not None), default=None)


def read_all(parts: Sequence[Data]) -> list[Any]:
    """The records of several languages, one after the other."""
    return [record for part in parts for record in part.read()]
