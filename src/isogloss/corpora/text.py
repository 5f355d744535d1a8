"""Plain text: a line per sentence or paragraph, from files and folders, compressed or not; wikiextractor's output."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from isogloss.corpora.corpus import PARTS, Tally
from isogloss.corpora.json_lines import read_fields
from isogloss.corpora.lines import COMPRESSED, read_lines
from isogloss.corpora.parallel import code_in, unnamed
from isogloss.corpora.records import Sentence
from isogloss.errors import IsoglossError
from isogloss.languages import language

BLANK = "blank lines"
TITLE = "titles and marks of documents"
DOC = re.compile(r'<doc (?:.*? )?id="(?P<id>[^"]*)".*?title="(?P<title>[^"]*)".*>')
WIKI = re.compile(r"wiki_\d+")
LAB_CARD, LAB_TEXT = "lab.json", "text/lab"  # in a folder that ``isogloss data lab`` wrote


@dataclass(frozen=True, slots=True)
class TextFiles:
    """The files of one language and part, in order."""

    language: str
    files: tuple[Path, ...]
    part: str = ""


def text_files(place: Path, alone: str | None = None) -> tuple[list[TextFiles], Tally]:
    """Text files by language: ``de.txt``, ``de.txt.zst``, a folder ``de/`` of anything; or all as ``alone``.

    Of a folder that ``isogloss data lab`` wrote, the training text.
    """
    tally: Tally = Tally()
    if (place / LAB_CARD).is_file() and (place / LAB_TEXT).is_dir():
        place = place / LAB_TEXT
    if alone is not None and (place.is_file() or not _any_code(place)):
        return [TextFiles(alone, tuple(_inside(place)))], tally
    if place.is_file():
        code = code_in(_plain(place))
        if not code:
            raise IsoglossError("the file's name does not contain a language", where=place, remedy="give its language")
        return [TextFiles(code, (place,))], tally
    parts = [place / part for part in PARTS if (place / part).is_dir()]
    found = [
        files for folder in parts or [place] for files in _by_language(folder, folder.name if parts else "", tally)
    ]
    if not found:
        raise IsoglossError(
            "no text found here", where=place, remedy="name files or folders by their language (de.txt, en/)"
        )
    return found, tally


def _by_language(folder: Path, part: str, tally: Tally) -> list[TextFiles]:
    found: dict[str, list[Path]] = {}
    for path in sorted(folder.iterdir()):
        if code := _code_of(path):
            found.setdefault(code, []).extend(_inside(path))
        elif not path.name.startswith("."):
            tally[unnamed(path.name)] += 1
    return [TextFiles(code, tuple(files), part) for code, files in found.items()]


def _any_code(place: Path) -> bool:
    return any(_code_of(path) or path.name in PARTS for path in place.iterdir())


def _code_of(path: Path) -> str | None:
    if path.name.startswith("."):
        return None
    code = code_in(_plain(path))
    # Folders are called many things that are also rare codes ("lab", wikiextractor's AA, AB): known languages only.
    if code and path.is_dir() and (path.name.isupper() or not (language(code).family or code.startswith("q"))):
        return None
    return code


def _plain(path: Path) -> str:
    return path.name.removesuffix(path.suffix) if path.suffix in COMPRESSED else path.name


def _inside(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    files = sorted(inner for inner in path.rglob("*") if inner.is_file() and not inner.name.startswith("."))
    if not files:
        raise IsoglossError(
            "the folder has no file", where=path, remedy="name a folder with text files, one per language"
        )
    return files


def read_text(files: TextFiles, tally: Tally) -> Iterator[Sentence]:
    """Stream non-blank lines; marks and titles of wikiextractor's documents are left out and counted."""
    for path in files.files:
        yield from read_sentences(read_lines(path), path, files.language, tally)


def read_sentences(lines: Iterator[tuple[int, str]], path: Path, language: str, tally: Tally) -> Iterator[Sentence]:
    """The sentences among numbered lines of a text file."""
    if is_wiki(path):
        yield from _read_wiki(lines, path, language, tally)
        return
    for _, line in lines:
        if text := line.strip():
            yield Sentence(text, language)
        else:
            tally[BLANK] += 1


def is_wiki(path: Path) -> bool:
    """Whether a file is wikiextractor's, by its name."""
    return bool(WIKI.fullmatch(_plain(path)) or WIKI.fullmatch(path.stem))


def _read_wiki(lines: Iterator[tuple[int, str]], path: Path, language: str, tally: Tally) -> Iterator[Sentence]:
    document = title = ""
    for number, line in lines:
        text = line.strip()
        if text.startswith('{"'):
            yield from _json_document(text, f"{path}:{number}", language, tally)
        elif match := DOC.fullmatch(text):
            document, title = match["id"], match["title"]
            tally[TITLE] += 1
        elif text == "</doc>" or (title and text == title):
            title = ""
            tally[TITLE] += 1
        elif text:
            yield Sentence(text, language, document)
        else:
            tally[BLANK] += 1


def _json_document(text: str, where: str, language: str, tally: Tally) -> Iterator[Sentence]:
    try:
        document = read_fields(text)
        paragraphs, name = document["text"].split("\n"), document.get("id", "")
    except (ValueError, KeyError):
        raise IsoglossError(
            "no JSON document with a 'text'", where=where, remedy="each line needs a JSON object with a 'text'"
        ) from None
    for paragraph in paragraphs:
        if paragraph.strip():
            yield Sentence(paragraph.strip(), language, name)
        else:
            tally[BLANK] += 1
