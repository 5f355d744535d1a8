"""What maps are learnt from and tested on, as inputs of cells: parallel sentences, dictionaries, word vectors."""

import hashlib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from isogloss.corpora import load_dictionary, load_parallel, load_paraphrases
from isogloss.corpora.parallel_sentences import hash_sentences
from isogloss.corpora.records import ParallelText
from isogloss.digests import require_revision, steady, whole_digest
from isogloss.errors import IsoglossError
from isogloss.studies.align.config import Config

Entries = tuple[tuple[str, str], ...]
EDGES = ",;|:"  # marks that cling to words where a file's separator is not a tab or blank
LEAST = 20  # entries a side of the split, and sentences, below which nothing can be said


@dataclass(frozen=True)
class Bitext:
    """Parallel sentences ``start`` to ``start + limit`` of two languages; ``revision`` is a hash of them."""

    data: str
    part: str
    languages: tuple[str, ...]
    start: int
    limit: int
    revision: str = ""

    def read(self) -> ParallelText:
        return _cut(self, load_parallel(self.data, self.languages, self.start + self.limit, self.part or None))

    def describe(self) -> str:
        return f"{self.data} {self.part} {'-'.join(self.languages)}".replace("  ", " ")


@dataclass(frozen=True)
class Rewordings:
    """Sentences ``start`` to ``start + limit`` of a language beside their paraphrases; ``revision`` is a hash of them.

    It stands where a ``Bitext`` does: the second language is the first one's in other words (``en'``).
    """

    data: str
    language: str
    start: int
    limit: int
    revision: str = ""

    @property
    def languages(self) -> tuple[str, str]:
        return self.language, reworded(self.language)

    def read(self) -> ParallelText:
        return _cut(self, load_paraphrases(self.data, self.language, self.start + self.limit))

    def describe(self) -> str:
        return f"{self.data} {'-'.join(self.languages)}"


def _cut(given: Bitext | Rewordings, whole: ParallelText) -> ParallelText:
    """The sentences from ``start`` on; others than the planned ones are refused."""
    cut = ParallelText({code: rows[given.start :] for code, rows in whole.texts.items()}, whole.name)
    require_revision(hash_sentences(cut.texts), given.revision, given.data)
    return cut


def reworded(language: str) -> str:
    """What a language in other words is called: ``en'``."""
    return f"{language}'"


@dataclass(frozen=True)
class Lexicon:
    """A dictionary as a cell's input; ``revision`` is a hash of its entries."""

    name: str
    source: str
    target: str
    parts: bool
    share: float
    revision: str = ""

    def split(self) -> tuple[Entries, Entries]:
        """Entries to learn the map from and entries to try it on, in lower case; no source word is in both."""
        found = self._split()
        require_revision(_hash_entries(found), self.revision, self.name)
        return found

    def _split(self) -> tuple[Entries, Entries]:
        if self.parts:
            train, test = (self._entries(part) for part in ("train", "test"))
            asked = {word for word, _ in test}
            return tuple(entry for entry in train if entry[0] not in asked), test
        entries = self._entries()
        learnt = {word for word, _ in entries if zlib.crc32(word.encode()) < self.share * 2**32}
        return tuple(one for one in entries if one[0] in learnt), tuple(one for one in entries if one[0] not in learnt)

    def describe(self) -> str:
        return f"{self.name} {self.source}-{self.target}"

    def _entries(self, part: str | None = None) -> Entries:
        """Some dictionaries have capitals, some not; vectors are of words in lower case."""
        found = load_dictionary(self.name, self.source, self.target, part).entries
        return tuple(dict.fromkeys((source.lower(), target.lower()) for source, target in found))


@dataclass(frozen=True)
class VectorFile:
    """Word vectors that are there already."""

    path: str
    revision: str

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Read the file inside this block: other vectors than the planned ones are refused."""
        path = Path(self.path)
        with steady([path]):
            yield
            require_revision(whole_digest(path)[:16], self.revision, path)

    @property
    def data(self) -> str:
        return self.path


def find_bitexts(config: Config, target: str) -> tuple[Bitext, Bitext]:
    """Sentences to learn from and to test on, which have none in common."""
    pair, size = (config.source, target), max(config.sizes)
    same = (config.parallel, config.parallel_part) == (config.test_parallel, config.test_part)
    tested = _found(Bitext(config.test_parallel, config.test_part, pair, 0, config.test_limit))
    learnt = _found(Bitext(config.parallel, config.parallel_part, pair, config.test_limit if same else 0, size))
    return learnt, tested


def find_compared(config: Config, target: str) -> Bitext | None:
    """Sentences that CKA is measured on, where they are not those of the test, as those of paraphrases always are."""
    if not config.cka_parallel or target == reworded(config.source):
        return None
    pair = (config.source, config.targets[0] if target == config.source else target)
    return _found(Bitext(config.cka_parallel, config.cka_part, pair, 0, config.test_limit))


def find_rewordings(config: Config) -> tuple[Rewordings, Rewordings]:
    """Paraphrases to learn from and to test on: the first are the test, at most half of them where there are few."""
    data, language, size = config.paraphrases, config.source, max(config.sizes)
    whole = load_paraphrases(data, language, config.test_limit + size)
    tested = min(config.test_limit, max(len(whole) - size, len(whole) // 2))
    if tested < LEAST:
        raise IsoglossError(
            f"{len(whole)} paraphrases are too few", where=data, remedy=f"give at least {2 * LEAST}: half are the test"
        )
    halves = (Rewordings(data, language, tested, min(size, len(whole) - tested)), Rewordings(data, language, 0, tested))
    learnt, test = (replace(half, revision=hash_sentences(half.read().texts)) for half in halves)
    return learnt, test


def find_sentences(config: Config, target: str) -> Bitext:
    """Sentences for the word aligner."""
    return _found(Bitext(config.parallel, config.parallel_part, (config.source, target), 0, config.aligned))


def _found(given: Bitext) -> Bitext:
    text = given.read()
    if len(text) < LEAST:
        raise IsoglossError(
            f"{len(text)} parallel sentences of {' and '.join(given.languages)} are too few",
            where=f"{given.data} {given.part}".strip(),
            remedy=f"give {LEAST} or more beside those of the test",
        )
    return replace(given, languages=text.languages, revision=hash_sentences(text.texts))


def find_lexicon(config: Config, target: str) -> Lexicon:
    """The dictionary of a pair; one that cannot be split, or was not read as its author meant, is refused."""
    given = Lexicon(config.dictionary, config.source, target, config.dictionary_parts, config.share)
    train, test = given.split()
    clinging = sum(word[-1:] in EDGES for word, _ in (*train, *test))
    if clinging > (len(train) + len(test)) / 2:
        raise IsoglossError(
            f"most words of this dictionary end in '{next(w[-1] for w, _ in (*train, *test) if w[-1:] in EDGES)}'",
            where=config.dictionary,
            remedy="put a tab between a word and its translation",
        )
    if min(len(train), len(test)) < LEAST:
        raise IsoglossError(
            f"{len(train)} entries to learn from and {len(test)} to test on are too few",
            where=config.dictionary,
            remedy=f"give a dictionary with {LEAST} or more on either side",
        )
    return replace(given, revision=_hash_entries((train, test)))


def _hash_entries(split: tuple[Entries, Entries]) -> str:
    return hashlib.sha256(repr(split).encode()).hexdigest()[:16]


def find_vectors(config: Config, language: str) -> VectorFile | None:
    """The vector file named for a language; None where vectors are to come from the text."""
    name = config.vectors.get(language)
    if name is None:
        return None
    path = Path(name).expanduser()
    if not path.is_file():
        raise IsoglossError("there is no such file of word vectors", where=path, remedy="give a fastText .vec file")
    return VectorFile(str(path), whole_digest(path)[:16])
