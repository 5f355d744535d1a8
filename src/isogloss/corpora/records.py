"""What loaders and the lab yield: small frozen records, the same whatever file they came from."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from isogloss.errors import IsoglossError


@dataclass(frozen=True, slots=True)
class Sentence:
    """A line of plain text."""

    text: str
    language: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class TaggedSentence:
    """Words with a tag each: UPOS, or BIO entities."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    language: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Tree:
    """A dependency tree: ``heads`` count words from 1, 0 is the root.

    ``spans`` are multiword tokens (first word, last word, form).
    """

    words: tuple[str, ...]
    upos: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]
    language: str
    id: str = ""
    lemmas: tuple[str, ...] = ()
    feats: tuple[str, ...] = ()
    spans: tuple[tuple[int, int, str], ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts and their label (NLI, paraphrase)."""

    first: str
    second: str
    label: str
    language: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class ParallelText:
    """Row-parallel texts: ``texts[language][i]`` says the same for every language."""

    texts: Mapping[str, tuple[str, ...]]
    name: str = ""
    revision: str = ""
    left_out: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        sizes = {language: len(rows) for language, rows in self.texts.items()}
        if len(set(sizes.values())) > 1:
            raise IsoglossError(
                f"parallel files have different numbers of lines: {sizes}",
                where=self.name or None,
                remedy="line n must be the same sentence in every file; check the ends of the files first",
            )

    def __len__(self) -> int:
        return len(next(iter(self.texts.values()), ()))

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(self.texts)


@dataclass(frozen=True, slots=True)
class Dictionary:
    """Word translations; several rows of one source word are several right answers."""

    source: str
    target: str
    entries: tuple[tuple[str, str], ...]
    weights: tuple[float, ...] = ()
    revision: str = ""
    left_out: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WordAlignment:
    """Which word of the first text stands for which of the second, counted from 0; sure links are possible ones too."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    sure: frozenset[tuple[int, int]]
    possible: frozenset[tuple[int, int]] = field(default_factory=frozenset)
