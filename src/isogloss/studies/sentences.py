"""Parallel sentences as the input of a cell: which text, in which of the tested languages."""

from collections.abc import Sequence
from dataclasses import dataclass

from isogloss.corpora.records import ParallelText
from isogloss.errors import IsoglossError
from isogloss.studies.inspect.cells import hash_text, read_text


@dataclass(frozen=True)
class Sentences:
    """Parallel text as a cell's input; ``revision`` is a hash of the sentences."""

    data: str
    languages: tuple[str, ...]
    limit: int
    revision: str

    def read(self) -> ParallelText:
        return read_text(self.data, self.languages, self.limit)


def find_sentences(data: str, limit: int, home: str, languages: Sequence[str]) -> Sentences | None:
    """The sentences in ``home`` and in those of ``languages`` that the text has; None where no text is named."""
    if not data:
        return None
    whole = read_text(data, (), limit)
    shared = tuple(dict.fromkeys(code for code in (home, *languages) if code in whole.languages))
    if home not in shared or len(shared) < 2:
        raise IsoglossError(
            f"this parallel text has no '{home}' with another tested language",
            where=data,
            remedy="name other parallel text with --parallel, or none: --parallel ''",
        )
    return Sentences(data, shared, limit, hash_text(read_text(data, shared, limit)))
