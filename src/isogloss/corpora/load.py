"""One call a kind of data: a catalog name, the lab or a path in; typed records out."""

from collections.abc import Sequence
from pathlib import Path

from isogloss.corpora.catalog import locate
from isogloss.corpora.parallel import read_bitexts, read_parallel
from isogloss.corpora.records import ParallelText


def load_parallel(
    name: str | Path,
    languages: Sequence[str] | None = None,
    limit: int | None = None,
    part: str | None = None,
) -> ParallelText:
    """Text whose row n says the same in every language, under Isogloss's own codes.

    ``name``: ``ntrex``, ``flores``, ``bible``, a folder of ``code.txt`` files, ``lab``; two languages of pairs
    like ``tatoeba``. Rows blank in some language are left out and counted.
    """
    place = locate(name)
    return read_parallel(place.folder, place.name, languages, limit, part)


def load_bitexts(
    name: str | Path,
    pivot: str = "en",
    languages: Sequence[str] | None = None,
    limit: int | None = None,
    part: str | None = None,
) -> tuple[ParallelText, ...]:
    """Two-language parallel texts of ``pivot`` with each other language: the form Tatoeba comes in."""
    place = locate(name)
    return read_bitexts(place.folder, place.name, pivot, languages, limit, part)
