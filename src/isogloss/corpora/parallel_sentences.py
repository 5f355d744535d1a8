"""Parallel sentences as the input of a cell: which text, in which of the tested languages, named by its content."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from isogloss.corpora import load_parallel
from isogloss.corpora.records import ParallelText
from isogloss.corpora.remembering import remember
from isogloss.digests import require_revision
from isogloss.errors import IsoglossError

LEAST_SENTENCES = 20


@dataclass(frozen=True)
class Sentences:
    """Parallel text as a cell's input; ``revision`` is a hash of the sentences."""

    data: str
    languages: tuple[str, ...]
    limit: int
    revision: str

    def read(self) -> ParallelText:
        return read_planned(self.data, self.languages, self.limit, self.revision)


def find_sentences(data: str, limit: int, home: str, languages: Sequence[str]) -> Sentences | None:
    """The sentences in ``home`` and in those of ``languages`` that the text has; None where no text is named."""
    if not data:
        return None
    whole = read_parallel(data, (), limit)
    shared = tuple(dict.fromkeys(code for code in (home, *languages) if code in whole.languages))
    if home not in shared or len(shared) < 2:
        raise IsoglossError(
            f"this parallel text has no '{home}' with another tested language",
            where=data,
            remedy="name other parallel text with --parallel, or none: --parallel ''",
        )
    return Sentences(data, shared, limit, hash_sentences(read_parallel(data, shared, limit).texts))


@remember(4)
def read_parallel(data: str, languages: tuple[str, ...], limit: int) -> ParallelText:
    """The parallel text; read once for planning and measuring in one process."""
    text = load_parallel(data, languages or None, limit)
    if len(text.languages) < 2:
        raise IsoglossError(
            f"one language only ({', '.join(text.languages)}): nothing to compare",
            where=data,
            remedy="name two with --langs",
        )
    if len(text) < LEAST_SENTENCES:
        raise IsoglossError(
            f"{len(text)} sentences are too few to measure anything",
            where=data,
            remedy=f"give at least {LEAST_SENTENCES}",
        )
    return text


def read_planned(data: str, languages: tuple[str, ...], limit: int, revision: str) -> ParallelText:
    """The parallel text that a cell was planned with; other sentences are refused."""
    text = read_parallel(data, languages, limit)
    require_revision(hash_sentences(text.texts), revision, data)
    return text


def hash_sentences(texts: Mapping[str, Sequence[str]]) -> str:
    """A hash of the sentences and their languages, in order."""
    digest = hashlib.sha256()
    for language, rows in texts.items():
        digest.update(f"{language}\0{len(rows)}\0".encode())
        digest.update("\n".join(rows).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:16]
