"""Gold word alignments: sentences as ``a ||| b``, links as ``i-j`` (sure) and ``ipj`` (possible)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from isogloss.corpora.lines import content_hash, read_lines
from isogloss.corpora.records import WordAlignment
from isogloss.errors import IsoglossError
from isogloss.languages import try_language

LINK = re.compile(r"([0-9]{1,9})([-p])([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class GoldAlignments:
    """Aligned sentence pairs of two languages."""

    source: str
    target: str
    rows: tuple[WordAlignment, ...]
    name: str = ""
    revision: str = ""


def read_alignments(
    place: Path, source: str | None = None, target: str | None = None, limit: int | None = None, base: int = 1
) -> GoldAlignments:
    """Gold alignments of a pair from a ``.gold`` file or a folder of them; ``base`` is the number of the first word."""
    files = alignment_files(place)
    wanted = tuple((known.code if (known := try_language(code or "")) else code) for code in (source, target))
    chosen = [pair for pair in files if not source or pair == wanted or pair[::-1] == wanted]
    if len(chosen) != 1:
        listed = ", ".join("-".join(pair) for pair in files) or "none"
        raise IsoglossError("which pair of languages?", where=place, remedy=f"available pairs: {listed}")
    text, gold = files[chosen[0]]
    rows = tuple(row for row in islice(_rows(text, gold, base), limit))
    found = GoldAlignments(*chosen[0], rows, str(place), content_hash((text, gold), chosen[0]))
    if not rows:
        raise IsoglossError("no sentences", where=text, remedy="give a file with 'first ||| second' on each line")
    return _turn(found) if source and chosen[0] != wanted else found


def alignment_files(place: Path) -> dict[tuple[str, str], tuple[Path, Path]]:
    """Sentence and link files by source and target: ``enfr.src-tgt`` with ``enfr.gold``."""
    golds = [place] if place.is_file() else sorted(place.glob("*.gold"))
    files = {}
    for gold in golds:
        text = gold.with_suffix(".src-tgt")
        if not text.is_file():
            raise IsoglossError(
                f"the sentences, {text.name}, are missing",
                where=gold,
                remedy="put the file of sentences beside the links, under the same name",
            )
        files[_languages(gold)] = (text, gold)
    if not files:
        raise IsoglossError("no gold alignments here", where=place, remedy="name files like enfr.src-tgt and enfr.gold")
    return files


def _languages(gold: Path) -> tuple[str, str]:
    for cut in range(2, len(gold.stem)):
        parts = re.split(r"[-_.]", gold.stem) if re.search(r"[-_.]", gold.stem) else [gold.stem[:cut], gold.stem[cut:]]
        known = [try_language(part) for part in parts if len(part) in {2, 3}]
        if len(parts) == 2 and len(known) == 2 and known[0] and known[1]:
            return known[0].code, known[1].code
    raise IsoglossError("the file name does not contain two languages", where=gold, remedy="name it like en-fr.gold")


def _rows(text: Path, gold: Path, base: int) -> Iterator[WordAlignment]:
    sentences, links = read_lines(text), read_lines(gold)
    while True:
        sentence, link = next(sentences, None), next(links, None)
        if sentence is None and link is None:
            return
        if sentence is None or link is None:
            shorter, line = (text, link) if sentence is None else (gold, sentence)
            raise IsoglossError(
                f"ends before line {line[0] if line else 1} of its other half",
                where=shorter,
                remedy="both files need one line per sentence pair",
            )
        first, bars, second = sentence[1].partition("|||")
        if not bars:
            raise IsoglossError(
                "no '|||' between the two sentences",
                where=f"{text}:{sentence[0]}",
                remedy="write each line as 'first ||| second'",
            )
        yield _alignment(first.split(), second.split(), link[1], f"{gold}:{link[0]}", base)


def _alignment(first: list[str], second: list[str], links: str, where: str, base: int) -> WordAlignment:
    sure, possible = set(), set()
    for text in links.split():
        match = LINK.fullmatch(text)
        if match is None:
            raise IsoglossError(
                f"'{text}' is not a link; write links as 3-4 or 3p4",
                where=where,
                remedy="words are counted from 1; 3-4 is a sure link, 3p4 a possible one",
            )
        link = int(match[1]) - base, int(match[3]) - base
        if not (0 <= link[0] < len(first) and 0 <= link[1] < len(second)):
            raise IsoglossError(
                f"link {text} in sentences of {len(first)} and {len(second)} words",
                where=where,
                remedy="words are numbered from 1; for files that start at 0, pass base=0",
            )
        possible.add(link)
        if match[2] == "-":
            sure.add(link)
    return WordAlignment(tuple(first), tuple(second), frozenset(sure), frozenset(possible))


def _turn(gold: GoldAlignments) -> GoldAlignments:
    rows = tuple(WordAlignment(row.second, row.first, _flip(row.sure), _flip(row.possible)) for row in gold.rows)
    return GoldAlignments(gold.target, gold.source, rows, gold.name, gold.revision)


def _flip(links: frozenset[tuple[int, int]]) -> frozenset[tuple[int, int]]:
    return frozenset((second, first) for first, second in links)
