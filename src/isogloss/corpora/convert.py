"""Files as their makers publish them, written as the text files that the loaders read."""

import html
import re
from collections.abc import Mapping
from pathlib import Path

from isogloss.corpora.lines import read_blocks, read_lines
from isogloss.errors import IsoglossError
from isogloss.files import whole_file

VERSE = re.compile(r"""<seg\b[^>]*?\bid=["']b\.(\w+)\.([0-9]{1,9})\.([0-9]{1,9})["'][^>]*>(.*?)</seg>""", re.DOTALL)
Verse = tuple[str, int, int]  # book, chapter, verse


def write_sentences(table: Path, path: Path) -> None:
    """Tatoeba's export, ``number, language, sentence``, as one sentence per line."""
    with whole_file(path) as part, part.open("w", encoding="utf-8", newline="\n") as out:
        for line, text in read_lines(table):
            columns = text.split("\t")
            if len(columns) < 3:
                raise IsoglossError(
                    "expected three columns: number, language, sentence",
                    where=f"{table}:{line}",
                    remedy="give Tatoeba's file of sentences, columns separated by tabs",
                )
            if sentence := " ".join(columns[2].split()):
                out.write(sentence + "\n")


def write_verses(sources: Mapping[str, Path], folder: Path) -> list[Path]:
    """Bibles in XML as ``code.txt``: a verse a line, the same one in every language, blank where one lacks it."""
    bibles = {code: _read_verses(path) for code, path in sources.items()}
    books: dict[str, int] = {}
    # The books of the fullest translation stand first, in its order.
    for verses in sorted(bibles.values(), key=len, reverse=True):
        for book, _, _ in verses:
            books.setdefault(book, len(books))
    order = sorted(
        {verse for verses in bibles.values() for verse in verses}, key=lambda verse: (books[verse[0]], *verse[1:])
    )
    written = []
    for code, verses in bibles.items():
        path = folder / f"{code}.txt"
        with whole_file(path) as part:
            part.write_text("".join(verses.get(verse, "") + "\n" for verse in order), encoding="utf-8", newline="\n")
        written.append(path)
    return written


def _read_verses(path: Path) -> dict[Verse, str]:
    text = "".join(block for _, block in read_blocks(path))
    verses = {
        (book, int(chapter), int(verse)): " ".join(html.unescape(re.sub(r"<[^>]*>", " ", inside)).split())
        for book, chapter, verse, inside in VERSE.findall(text)
    }
    if not verses:
        raise IsoglossError(
            "no verse found: expected <seg id='b.GEN.1.1'>",
            where=path,
            remedy="give a bible in the XML of the parallel Bible corpus",
        )
    return verses
