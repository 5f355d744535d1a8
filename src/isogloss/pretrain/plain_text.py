"""Plain text in, sentence by sentence, with the faults that spoil a run found before it starts."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from isogloss.corpora.lines import read_lines
from isogloss.errors import IsoglossError

Source = Sequence[str] | Path | Callable[[], Iterator[str]]
Texts = Mapping[str, Source]
GIANT = 200_000  # characters: no sentence is so long


@dataclass(frozen=True)
class Text:
    """A language's sentences, one per line: in memory, in a file, or from a function that restarts them."""

    language: str
    source: Source

    def sentences(self) -> Iterator[str]:
        """All sentences, blank lines left out."""
        for where, line in self._lines():
            if len(line) > GIANT:
                raise IsoglossError(
                    f"a line of {len(line):,} characters; Isogloss reads one sentence per line",
                    where=where,
                    remedy="split the text into sentences, one per line",
                )
            if line and not line.isspace():
                yield line.strip()

    def _lines(self) -> Iterator[tuple[str, str]]:
        if isinstance(self.source, Path):
            return ((f"{self.source}:{number}", line) for number, line in read_lines(self.source))
        rows = self.source() if callable(self.source) else self.source
        return ((f"{self.language}, text {number}", line) for number, line in enumerate(rows, start=1))

    def measure(self) -> "Measure":
        """Count the sentences and name their content; a language without text is an error."""
        digest, number = hashlib.blake2b(digest_size=8), 0
        for sentence in self.sentences():
            digest.update(sentence.encode() + b"\n")
            number += 1
        if number < 2:
            raise IsoglossError(
                f"language '{self.language}' has {'one sentence only' if number else 'no text'}",
                where=self.source if isinstance(self.source, Path) else None,
                remedy="give it sentences, one per line, or leave it out; at least one is held out for validation",
            )
        return Measure(number, digest.hexdigest())

    def part(self, name: str, held_out: range) -> Iterator[str]:
        """The sentences of ``training`` or ``validation``."""
        wanted = name == "validation"
        return (text for number, text in enumerate(self.sentences()) if (number in held_out) == wanted)


@dataclass(frozen=True)
class Measure:
    """How many sentences a text has, and a name for what they are."""

    sentences: int
    content: str

    def held_out(self, wanted: int) -> range:
        """The numbers of the sentences for validation: at most a tenth (at least one), spread evenly."""
        number = max(1, min(wanted, self.sentences // 10))
        step = self.sentences // number
        return range(step - 1, step * number, step)
