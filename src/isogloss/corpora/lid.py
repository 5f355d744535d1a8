"""A language-identification set from any text, as Tanti21 made theirs from Wikipedia (§2, appendix)."""

import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from isogloss.corpora.corpus import Corpus, Tally
from isogloss.corpora.records import Sentence
from isogloss.errors import IsoglossError
from isogloss.files import write_whole

PARTS = {"train": 0.7, "valid": 0.1, "dev": 0.1, "test": 0.1}
SHORT, TWICE = "paragraphs that are too short", "paragraphs that stand twice"


@dataclass(frozen=True, slots=True)
class LidSettings:
    """Tanti21 took 5,000 paragraphs per language of at least 100 characters."""

    paragraphs: int = 5_000
    characters: int = 100
    seed: int = 0
    allow_fewer: bool = False


@dataclass(frozen=True, slots=True)
class LidSet:
    """Paragraphs by part and language, and what was passed over."""

    parts: Mapping[str, Mapping[str, tuple[str, ...]]]
    left_out: Mapping[str, int]
    revision: str
    settings: LidSettings


def build_lid(corpus: Corpus[Sentence], settings: LidSettings) -> LidSet:
    """Draw paragraphs of every language at random and split them 70/10/10/10; memory holds only the drawn."""
    tally: Tally = Counter()
    drawn = {code: _draw(corpus.stream(code), code, settings, tally) for code in corpus.languages}
    _check_sizes({code: len(texts) for code, texts in drawn.items()}, settings)
    parts: dict[str, dict[str, tuple[str, ...]]] = {part: {} for part in PARTS}
    for code, texts in drawn.items():
        for part, chosen in _split(texts):
            parts[part][code] = chosen
    return LidSet(parts, dict(tally), corpus.revision, settings)


def _draw(paragraphs: Iterable[Sentence], code: str, settings: LidSettings, tally: Tally) -> list[str]:
    """A random sample of the long enough, different paragraphs (reservoir), in random order."""
    chance = random.Random(f"{settings.seed}/{code}")
    kept: list[str] = []
    seen: set[int] = set()
    for paragraph in paragraphs:
        if len(paragraph.text) < settings.characters:
            tally[SHORT] += 1
            continue
        # The same paragraph in training and test would be a leak.
        if (mark := hash(paragraph.text)) in seen:
            tally[TWICE] += 1
            continue
        seen.add(mark)
        if len(kept) < settings.paragraphs:
            kept.append(paragraph.text)
        elif (place := chance.randrange(len(seen))) < settings.paragraphs:
            kept[place] = paragraph.text
    chance.shuffle(kept)
    return kept


def _check_sizes(sizes: Mapping[str, int], settings: LidSettings) -> None:
    least = len(PARTS) * 3 if settings.allow_fewer else settings.paragraphs
    if short := {code: size for code, size in sizes.items() if size < least}:
        listed = ", ".join(f"{code} {size:,}" for code, size in short.items())
        raise IsoglossError(
            f"not enough paragraphs of {settings.characters} characters: {listed} (wanted {least:,})",
            remedy="ask for fewer (--paragraphs), shorter (--characters), or take what there is (--allow-fewer)",
        )


def _split(texts: list[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    start, share = 0, 0.0
    for part, size in PARTS.items():
        share += size
        stop = round(share * len(texts))
        yield part, tuple(texts[start:stop])
        start = stop


def write_lid(lid: LidSet, folder: Path) -> list[Path]:
    """``train/de.txt``, ``valid/de.txt``, ... a paragraph a line, and what they are in ``lid.json``."""
    written = []
    for part, languages in lid.parts.items():
        for code, texts in languages.items():
            path = folder / part / f"{code}.txt"
            write_whole(path, "".join(f"{text}\n" for text in texts))
            written.append(path)
    sizes = {part: {code: len(texts) for code, texts in languages.items()} for part, languages in lid.parts.items()}
    about = {"settings": asdict(lid.settings), "source": lid.revision, "sizes": sizes, "left_out": dict(lid.left_out)}
    write_whole(folder / "lid.json", json.dumps(about, indent=1) + "\n")
    return [*written, folder / "lid.json"]
