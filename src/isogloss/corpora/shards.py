"""Large text cut into shards: byte ranges of text files, each named by its content, for many cells to read."""

import hashlib
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, cast

from isogloss.corpora.catalog import PARALLEL, TEXT, TREES, locate
from isogloss.corpora.corpus import Corpus, Tally
from isogloss.corpora.detect import kind_of
from isogloss.corpora.hub import is_hub
from isogloss.corpora.labdata import is_lab
from isogloss.corpora.lines import decode_text, open_bytes, sound_archive
from isogloss.corpora.load import load_text
from isogloss.corpora.own_text import is_own
from isogloss.corpora.records import Sentence
from isogloss.corpora.text import is_wiki, read_sentences
from isogloss.digests import LENGTH, require_revision
from isogloss.errors import IsoglossError
from isogloss.runs.cells import WHERE_IT_LIES


@dataclass(frozen=True)
class Shard:
    """Whole lines of one text file. ``revision`` is a digest of their bytes, so a shard keeps its name when its file is
    moved, or when text is added behind it. ``start`` and ``size`` are bytes of the file as unpacked."""

    language: str
    revision: str
    sentences: int
    file: str = field(default="", metadata=WHERE_IT_LIES)
    start: int = field(default=0, metadata=WHERE_IT_LIES)
    size: int = field(default=0, metadata=WHERE_IT_LIES)
    line: int = field(default=1, metadata=WHERE_IT_LIES)

    def read(self) -> Iterator[str]:
        """Stream the sentences. Once all were read, bytes other than the planned ones raise ``ChangedError``."""
        digest, path = hashlib.sha256(), Path(self.file)
        lines = self._lines(path, digest)
        yield from (sentence.text for sentence in read_sentences(lines, path, self.language, Tally()))
        require_revision(digest.hexdigest()[:LENGTH], self.revision, f"{path}:{self.line}")

    def _lines(self, path: Path, digest: "hashlib._Hash") -> Iterator[tuple[int, str]]:
        left = self.size
        with open_bytes(path) as handle, sound_archive(path):
            handle.seek(self.start)
            for number, line in enumerate(_buffered(handle), self.line):
                digest.update(line[:left])
                yield number, decode_text(line[:left], path, number).rstrip("\r\n")
                left -= len(line)
                if left <= 0:
                    return


def cut_text(data: str, languages: Sequence[str] | None, size: int, limit: int) -> dict[str, tuple[Shard, ...]]:
    """The shards of each language, ``size`` sentences each, of its first ``limit`` sentences.

    Every byte of them is read once, at the speed of the disk, and none is kept.
    """
    found: dict[str, list[Shard]] = {}
    for source in _text_in_files(data, languages).sources:
        for path in source.files:
            shards = found.setdefault(source.language, [])
            left = limit - sum(shard.sentences for shard in shards)
            if left > 0:
                shards += _cut_file(path, source.language, size, left)
    return {code: tuple(shards) for code, shards in found.items()}


def _text_in_files(data: str, languages: Sequence[str] | None) -> Corpus[Sentence]:
    if not (is_lab(data) or is_own(data) or is_hub(data)):
        kind = kind_of(locate(data), (TEXT, PARALLEL, TREES))
        if kind in (TEXT, PARALLEL):
            return load_text(data, languages)
    raise IsoglossError(
        "only plain text files are read in shards",
        where=data,
        remedy="name a folder of text files (de.txt, en.txt.gz, sw/), or leave out --shard",
    )


def _cut_file(path: Path, language: str, size: int, limit: int) -> Iterator[Shard]:
    """Shards one after the other; a file of wikiextractor, whose titles need their documents, is one."""
    whole = is_wiki(path)
    start = position = sentences = done = 0
    line = number = 1
    digest = hashlib.sha256()
    with open_bytes(path) as handle, sound_archive(path):
        for content in _buffered(handle):
            digest.update(content)
            position, number = position + len(content), number + 1
            if not content.strip():
                continue
            sentences, done = sentences + 1, done + 1
            if not whole and (sentences == size or done == limit):
                revision = digest.hexdigest()[:LENGTH]
                yield Shard(language, revision, sentences, str(path), start, position - start, line)
                start, line, sentences, digest = position, number, 0, hashlib.sha256()
            if not whole and done == limit:
                return
    if sentences:
        yield Shard(language, digest.hexdigest()[:LENGTH], sentences, str(path), start, position - start, line)


def _buffered(handle: IO[bytes]) -> IO[bytes]:
    """The stream with lines to iterate over, which zstandard's has not."""
    return handle if isinstance(handle, io.BufferedIOBase) else cast("IO[bytes]", io.BufferedReader(handle))
