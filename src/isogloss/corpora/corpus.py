"""A corpus: streams of records by language and part, what they left out, and a revision that names their content."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Generic, TypeVar

from isogloss.corpora.lines import content_hash
from isogloss.errors import IsoglossError
from isogloss.languages import language, try_language

Record = TypeVar("Record")
Value = TypeVar("Value")
Tally = Counter[str]

PARTS = ("train", "dev", "valid", "test", "devtest")
SAME_PART = {"val": "dev", "validation": "dev", "eval": "test", "all": ""}


@dataclass(frozen=True, slots=True)
class Source(Generic[Record]):
    """One stream of records: a part of a language, from ``files`` or from what ``identity`` names."""

    language: str
    part: str
    read: Callable[[Tally], Iterator[Record]]
    files: tuple[Path, ...] = ()
    identity: str = ""


@dataclass(frozen=True)
class Corpus(Generic[Record]):
    """Records of one kind (``trees``, ``tagged``, ``pairs``, ``text``), streamed from their files when asked for.

    ``limit`` holds for each language and part. ``left_out`` counts, by reason, what the streams read so far
    did not yield.
    """

    name: str
    kind: str
    sources: tuple[Source[Record], ...]
    limit: int | None = None
    skipped: Mapping[str, int] = field(default_factory=dict)
    _tallies: dict[tuple[str, str], Tally] = field(default_factory=dict, repr=False, compare=False)

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(source.language for source in self.sources))

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(source.part for source in self.sources))

    @property
    def left_out(self) -> dict[str, int]:
        """Counts by reason, over what was read last of each language and part."""
        return dict(sum(self._tallies.values(), Counter(self.skipped)))

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file that is read, each once; none for the lab and the hub."""
        return tuple(dict.fromkeys(path for source in self.sources for path in source.files))

    @property
    def revision(self) -> str:
        """A hash of the content of every file of this corpus (or of the lab's settings)."""
        ordered = sorted(self.sources, key=lambda source: (source.language, source.part, source.files))
        names = [f"{source.language}/{source.part}/{source.identity}" for source in ordered]
        return content_hash((path for source in ordered for path in source.files), names)

    def stream(self, language: str | None = None, part: str | None = None) -> Iterator[Record]:
        """Records of a language (all when None) and part (all when None), in the order of their files."""
        chosen = choose_part(self.sources, part, self.name)
        if language is not None:
            code = pick_language(language, [source.language for source in chosen], self.name)
            chosen = tuple(source for source in chosen if source.language == code)
        for key in dict.fromkeys((source.language, source.part) for source in chosen):
            tally = self._tallies[key] = Counter()
            same = (source for source in chosen if (source.language, source.part) == key)
            yield from islice((record for source in same for record in source.read(tally)), self.limit)

    def read(self, language: str | None = None, part: str | None = None) -> list[Record]:
        """As ``stream``, all at once."""
        return list(self.stream(language, part))

    def __iter__(self) -> Iterator[Record]:
        return self.stream()


def part_name(text: str) -> str:
    """A part's one name: ``validation`` and ``val`` are ``dev``."""
    return SAME_PART.get(text.lower(), text.lower())


def choose_part(sources: Sequence[Source[Record]], part: str | None, name: str) -> tuple[Source[Record], ...]:
    """The sources of ``part``; ``dev`` and ``valid`` stand in for each other where only one exists."""
    if part is None:
        return tuple(sources)
    wanted = part_name(part)
    for candidate in (wanted, {"dev": "valid", "valid": "dev"}.get(wanted, wanted)):
        if found := tuple(source for source in sources if source.part == candidate):
            return found
    there = ", ".join(sorted({source.part or "(unnamed)" for source in sources}))
    raise IsoglossError(f"no part '{part}' in {name}", remedy=f"available parts: {there}")


def pick_language(asked: str, available: Sequence[str], name: str) -> str:
    """The code in ``available`` for ``asked``: the same language and script, otherwise the only one of its base."""
    if asked in available:
        return asked
    wanted = language(asked)
    if wanted.code in available:
        return wanted.code
    same = sorted({code for code in available if (known := try_language(code)) and known.base == wanted.base})
    if len(same) == 1:
        return same[0]
    listed = ", ".join(same or sorted(set(available)))
    raise IsoglossError(f"no language '{asked}' ({wanted.name}) in {name}", remedy=f"available languages: {listed}")


def by_language(files: Mapping[str, Value], asked: Sequence[str] | None, name: str) -> dict[str, Value]:
    """The entries of the languages ``asked`` for (all when None), in that order."""
    if asked is None:
        return dict(files)
    codes = dict.fromkeys(pick_language(code, list(files), name) for code in asked)
    return {code: files[code] for code in codes}
