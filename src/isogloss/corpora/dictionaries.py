"""Bilingual dictionaries: MUSE's files (a space between), tab-separated ones, with or without weights (PanLex)."""

import re
from collections.abc import Iterator
from pathlib import Path

from isogloss.bounds import real_number
from isogloss.corpora.corpus import Tally, part_name
from isogloss.corpora.lines import content_hash, read_lines
from isogloss.corpora.records import Dictionary
from isogloss.errors import IsoglossError
from isogloss.languages import try_language

PAIR = re.compile(r"(?:^|[._/])(?P<source>[A-Za-z]{2,3})-(?P<target>[A-Za-z]{2,3})(?=$|[._/])")
# MUSE: the first 5,000 source words are for training, the next 1,500 for testing.
PARTS = re.compile(r"[._](?P<part>train|dev|test|0-5000|5000-6500)(?=[._])")
MUSE_PARTS = {"0-5000": "train", "5000-6500": "test"}
TWICE = "entries that stand twice"
Entry = tuple[str, str, float | None]


def read_dictionary(
    place: Path, source: str | None = None, target: str | None = None, part: str | None = None
) -> Dictionary:
    """The dictionary of a pair of languages from a file, or from a folder of many.

    All parts together where none is asked for; a file of the opposite direction is turned round.
    """
    files = dictionary_files(place)
    if source is None or target is None:
        pairs = {(one, other) for one, other, _ in files}
        if len(pairs) != 1:
            raise _choose(place, pairs)
        source, target = next(iter(pairs))
    one, other = (_code(source) or source, _code(target) or target)
    for asked, turned in (((one, other), False), ((other, one), True)):
        if chosen := _of_part({name[2]: path for name, path in files.items() if name[:2] == asked}, part, place):
            return _read(chosen, (one, other), turned)
    raise _choose(place, {(first, second) for first, second, _ in files}, f"no dictionary {one}-{other} here")


def dictionary_files(place: Path) -> dict[tuple[str, str, str], Path]:
    """Dictionary files by source, target and part (empty for a whole one)."""
    if not place.exists():
        raise IsoglossError(
            "no such file or folder",
            where=place,
            remedy="check the name; a dictionary is a file, or a folder of files such as en-de.tsv",
        )
    candidates = [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.is_file())
    files: dict[tuple[str, str, str], Path] = {}
    for path in candidates:
        named = "/".join(path.parts[-2:])
        pairs = [match for match in PAIR.finditer(named) if _code(match["source"]) and _code(match["target"])]
        if pairs:
            match = PARTS.search(path.name)
            part = MUSE_PARTS.get(match["part"], match["part"]) if match else ""
            key = _code(pairs[-1]["source"]), _code(pairs[-1]["target"]), part
            # The same part in several sizes (the first 500, 1,000, 5,000 words): the largest holds the others.
            files[key] = max(files.get(key, path), path, key=lambda file: file.stat().st_size)
        elif place.is_file():
            files["", "", ""] = path
    return files


def _of_part(parts: dict[str, Path], part: str | None, place: Path) -> list[Path]:
    if part is None or not parts:
        return [parts[name] for name in ("", "train", "dev", "test") if name in parts][: 1 if "" in parts else None]
    if part_name(part) not in parts:
        there = ", ".join(name or "(whole)" for name in parts)
        raise IsoglossError(f"no part '{part}' of this dictionary", where=place, remedy=f"available parts: {there}")
    return [parts[part_name(part)]]


def _read(paths: list[Path], pair: tuple[str, str], turned: bool) -> Dictionary:
    tally: Tally = Tally()
    entries: dict[tuple[str, str], float | None] = {}
    for path in paths:
        for first, second, weight in _entries(path):
            key = (second, first) if turned else (first, second)
            tally[TWICE] += key in entries
            entries.setdefault(key, weight)
    weighted = [weight for weight in entries.values() if weight is not None]
    if weighted and len(weighted) != len(entries):
        raise IsoglossError(
            "some entries have a weight and others do not", where=paths[0], remedy="give every entry a weight, or none"
        )
    return Dictionary(
        *pair, tuple(entries), tuple(weighted), content_hash(paths, pair), {k: n for k, n in tally.items() if n}
    )


def _entries(path: Path) -> Iterator[Entry]:
    for line, text in read_lines(path):
        if not text.strip():
            continue
        fields = [field.strip() for field in text.split("\t")] if "\t" in text else text.split()
        if len(fields) not in {2, 3} or not fields[0] or not fields[1]:
            raise IsoglossError(
                f"'{text[:40]}' is not an entry: write a word, a tab or space, its translation and optionally a weight",
                where=f"{path}:{line}",
                remedy="fix or delete the line",
            )
        yield fields[0], fields[1], _weight(fields, f"{path}:{line}")


def _weight(fields: list[str], where: str) -> float | None:
    if len(fields) == 2:
        return None
    weight = real_number(fields[2])
    if weight is None:
        raise IsoglossError(
            f"'{fields[2][:20]}' is not a weight: it is not a finite number",
            where=where,
            remedy="write a number such as 0.5, or leave the third column out",
        )
    if weight < 0:
        raise IsoglossError(f"weight {weight} is negative", where=where, remedy="weights must be 0 or more")
    return weight


def _code(text: str) -> str:
    known = try_language(text)
    return known.code if known else ""


def _choose(place: Path, pairs: set[tuple[str, str]], what: str = "which pair of languages?") -> IsoglossError:
    listed = ", ".join(f"{source}-{target}" for source, target in sorted(pairs)) or "none"
    return IsoglossError(what, where=place, remedy=f"available pairs: {listed}")
