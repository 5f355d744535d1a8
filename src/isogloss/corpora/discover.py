"""Which language and part a file holds, read off its name and folder."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from isogloss.corpora.corpus import part_name
from isogloss.corpora.lines import COMPRESSED
from isogloss.errors import IsoglossError
from isogloss.languages import Scheme, try_language

# CoNLL-2003 calls its parts testa and testb; MultiNLI has two validation parts.
PART = re.compile(r"(?:^|[-_.])(train|dev|validation|valid|val|testa|testb|devtest|test)(?=$|[-_.])", re.IGNORECASE)
ODD_PARTS = {"testa": "dev", "testb": "test"}
# CoNLL-2002's own names for Spanish and Dutch.
ODD_CODES = {"esp": "es", "ned": "nl"}
ENDINGS = (".tsv", ".txt", ".jsonl", ".bio", ".conll", ".iob", ".iob2")


@dataclass(frozen=True, slots=True)
class Named:
    """A file with the language and part that its name tells (empty where it tells none)."""

    path: Path
    language: str
    part: str


def discover(place: Path, scheme: Scheme = "any", endings: Iterable[str] = ENDINGS) -> list[Named]:
    """Data files in a folder (or the one file), with what their names say."""
    if place.is_file():
        return [read_name(place, place.parent, scheme)]
    found = [path for path in sorted(place.rglob("*")) if path.is_file() and _is_data(path, tuple(endings))]
    if not found:
        raise IsoglossError(
            "no data file found here",
            where=place,
            remedy="name a folder with data files, or one file ('isogloss data check' says what is in a folder)",
        )
    return [read_name(path, place, scheme) for path in found]


def _is_data(path: Path, endings: tuple[str, ...]) -> bool:
    name = path.name.removesuffix(path.suffix) if path.suffix in COMPRESSED else path.name
    hidden = any(part.startswith((".", "__")) for part in path.parts)
    stem, dot, ending = name.rpartition(".")
    # WikiANN's first release has files called just "train"; CoNLL's are eng.train and eng.testa.
    bare = PART.fullmatch(ending if dot else name) is not None
    return not hidden and (name.endswith(endings) or bare) and not stem.upper().startswith(("README", "LICENSE"))


def read_name(path: Path, root: Path, scheme: Scheme = "any") -> Named:
    """``dev-en.tsv``, ``en/dev_2k.tsv``, ``xnli.dev.en.tsv``, ``eng.testa``: language and part."""
    name = path.name.removesuffix(path.suffix) if path.suffix in COMPRESSED else path.name
    for ending in ENDINGS:
        name = name.removesuffix(ending)
    match = PART.search(name)
    part = match[1].lower() if match else ""
    code = _code_beside(name, match, scheme)
    if not code and path.parent != root:
        code = _code(path.parent.name, scheme)
    return Named(path, code, part_name(ODD_PARTS.get(part, part)))


def _code_beside(name: str, match: re.Match[str] | None, scheme: Scheme) -> str:
    """The code just after or before the part; only there, so that ``my-data.tsv`` is not taken for Burmese."""
    if match is None:
        return _code(name, scheme)
    after, before = name[match.end() :].lstrip("-_."), name[: match.start()]
    return _code(after, scheme) or _code(before.rpartition(".")[2], scheme) or _code(before.rpartition("-")[2], scheme)


def _code(text: str, scheme: Scheme) -> str:
    """A code, never a name: a folder called ``english`` may be anything."""
    base = re.split(r"[-_]", text)[0]
    if len(base) not in {2, 3}:
        return ""
    known = try_language(ODD_CODES.get(text, text), scheme)
    return known.code if known else ""
