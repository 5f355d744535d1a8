"""Row-parallel text: a file per language (NTREX, FLORES, Bible), or two files per pair (Tatoeba, OPUS)."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from isogloss.corpora.corpus import Tally, by_language, part_name, pick_language
from isogloss.corpora.lines import COMPRESSED, content_hash, read_lines
from isogloss.corpora.records import ParallelText
from isogloss.errors import IsoglossError
from isogloss.languages import Scheme, try_language

# tatoeba.deu-eng.deu and OPUS's Books.de-fr.de: the last ending is one of the two codes before it.
PAIR = re.compile(r"^.+\.(?P<first>\w+)-(?P<second>\w+)\.(?P<side>\w+)$")
# newstest2019-ref.deu.txt, as NTREX itself names its files.
NTREX = re.compile(r"^.+-(src|ref)\.(?P<code>[\w-]+)\.txt$")
FLORES = re.compile(r"^(?P<code>\w+)\.(?P<part>dev|devtest|test)$")
# Words in file names that are also the ISO 639-3 code of some small language.
NOT_CODES = {"all", "dev", "out", "ref", "src", "test", "tgt", "train", "val"}
SMALL_REGIONS = {"pt-br", "zh-tw", "fr-ca"}  # regions that are also codes of languages
BLANK = "rows that are blank in some language"


@dataclass(frozen=True, slots=True)
class Layout:
    """What lies in a folder: ``rows`` (all files in step), by part, or ``pairs`` of two files each."""

    rows: Mapping[str, Mapping[str, Path]]
    pairs: Mapping[tuple[str, str], tuple[Path, Path]]
    left_out: Mapping[str, int]


def read_layout(folder: Path) -> Layout:
    """Recognise the parallel files in ``folder`` by their names."""
    rows: dict[str, dict[str, Path]] = {}
    sides: dict[tuple[str, str], dict[str, Path]] = {}
    tally: Tally = Counter()
    for path in sorted(_files(folder)):
        plain = path.name.removesuffix(path.suffix) if path.suffix in COMPRESSED else path.name
        if (match := PAIR.match(plain)) and match["side"] in {match["first"], match["second"]}:
            sides.setdefault((match["first"], match["second"]), {})[match["side"]] = path
        elif code := code_in(plain):
            place(rows.setdefault(_part_in(plain), {}), code, path)
        else:
            tally[unnamed(path.name)] += 1
    pairs = {}
    for (first, second), files in sides.items():
        if codes := _pair_codes(first, second):
            pairs[codes] = _both(files, first, second)
        else:
            tally.update(unnamed(path.name) for path in files.values())
    return Layout(rows, pairs, tally)


def unnamed(name: str) -> str:
    """Why a file is left out."""
    return f"file named '{name}', which is not a language code (rename it to CODE.txt, such as de.txt)"


def _files(folder: Path) -> Iterable[Path]:
    """Files of the folder and, for FLORES, of its subfolders ``dev`` and ``devtest``."""
    if not folder.is_dir():
        raise IsoglossError("no such folder", where=folder, remedy="check the name")
    for path in folder.iterdir():
        if path.is_file() and not path.name.startswith("."):
            yield path
        elif path.is_dir() and path.name in {"dev", "devtest", "test"}:
            yield from (inner for inner in path.iterdir() if FLORES.match(inner.name))


def code_in(name: str, scheme: Scheme = "any") -> str | None:
    """The language of a file called ``deu.txt``, ``newstest2019-ref.deu.txt`` or ``deu_Latn.dev``."""
    match = NTREX.match(name) or FLORES.match(name)
    stem = match["code"] if match else name.removesuffix(".txt")
    if stem.lower() in NOT_CODES or "." in stem or _is_pair(stem):
        return None
    known = try_language(stem, scheme)
    return known.code if known else None


def _is_pair(stem: str) -> bool:
    """``en-de`` in small letters is a pair of languages, not English as it is spoken in Germany."""
    first, dash, second = stem.partition("-")
    both = bool(dash) and second.islower() and try_language(first) is not None and try_language(second) is not None
    return both and stem not in SMALL_REGIONS


def _part_in(name: str) -> str:
    match = FLORES.match(name)
    return part_name(match["part"]) if match else ""


def place(files: dict[str, Path], code: str, path: Path) -> None:
    """Add a language's file; two files of one language are a mistake that must not pass in silence."""
    if code in files:
        raise IsoglossError(
            f"{files[code].name} and {path.name} are both '{code}'", where=path.parent, remedy="remove one of them"
        )
    files[code] = path


def _pair_codes(first: str, second: str) -> tuple[str, str] | None:
    one, other = try_language(first), try_language(second)
    return (one.code, other.code) if one and other else None


def _both(files: Mapping[str, Path], first: str, second: str) -> tuple[Path, Path]:
    for side in (first, second):
        if side not in files:
            other = next(iter(files.values()))
            raise IsoglossError(
                f"the other half, '.{side}', is missing",
                where=other,
                remedy="put both files of the pair into the folder",
            )
    return files[first], files[second]


def read_rows(
    files: Mapping[str, Path], limit: int | None, name: str, left_out: Mapping[str, int] | None = None
) -> ParallelText:
    """Read files in step; a row that is blank in any language is left out and counted."""
    columns = {code: [text.strip() for _, text in read_lines(path)] for code, path in files.items()}
    _same_length(columns, files)
    tally = Counter(left_out or {})
    rows = list(islice(_full_rows(columns, tally), limit))
    if not rows:
        raise IsoglossError(
            "no row has text in every language",
            where=name,
            remedy="each row needs a text in every language; name fewer languages with --langs",
        )
    texts = dict(zip(columns, map(tuple, zip(*rows, strict=True)), strict=True))
    return ParallelText(texts, name, content_hash(files.values(), files), dict(tally))


def _full_rows(columns: Mapping[str, Sequence[str]], tally: Tally) -> Iterator[tuple[str, ...]]:
    for row in zip(*columns.values(), strict=True):
        if all(row):
            yield row
        else:
            tally[BLANK] += 1


def _same_length(columns: Mapping[str, Sequence[str]], files: Mapping[str, Path]) -> None:
    sizes = {code: len(rows) for code, rows in columns.items()}
    if len(set(sizes.values())) > 1:
        usual = Counter(sizes.values()).most_common(1)[0][0]
        odd = next(code for code, size in sizes.items() if size != usual)
        other = next(code for code, size in sizes.items() if size == usual)
        raise IsoglossError(
            f"{sizes[odd]} lines, but {files[other].name} has {usual}",
            where=files[odd],
            remedy="line n must be the same sentence in every file; check the ends of the files first",
        )


def read_parallel(
    folder: Path,
    name: str,
    languages: Sequence[str] | None = None,
    limit: int | None = None,
    part: str | None = None,
) -> ParallelText:
    """Parallel text of all ``languages`` at once (all there are when None)."""
    layout = read_layout(folder)
    if layout.rows:
        files = _asked_for(layout, _part_of(layout, part, name), languages, name)
        return read_rows(files, limit, name, layout.left_out)
    if not layout.pairs:
        raise no_parallel(folder)
    if languages is None and len(layout.pairs) == 1:
        languages = next(iter(layout.pairs))
    if languages is None or len(languages) != 2:
        example = ",".join(next(iter(layout.pairs)))
        raise IsoglossError(
            f"{name} has pairs of languages, each with different sentences",
            remedy=f"name two languages (--langs {example}), or take the pairs one by one (load_bitexts)",
        )
    codes = sorted({code for pair in layout.pairs for code in pair})
    first, second = (pick_language(asked, codes, name) for asked in languages)
    return read_rows(_pair(layout, first, second, name), limit, name, layout.left_out)


def _asked_for(
    layout: Layout, files: Mapping[str, Path], languages: Sequence[str] | None, name: str
) -> dict[str, Path]:
    """The files of the languages asked for; where one is missing, the error also names what was not read."""
    try:
        return by_language(files, languages, name)
    except IsoglossError as error:
        if not layout.left_out:
            raise
        remedy = "; not read: ".join([error.remedy or "", *list(layout.left_out)[:3]])
        raise IsoglossError(error.what, where=error.where, remedy=remedy) from None


def _part_of(layout: Layout, part: str | None, name: str) -> Mapping[str, Path]:
    if part is None and len(layout.rows) == 1:
        return next(iter(layout.rows.values()))
    wanted = part_name(part or "dev")
    if wanted not in layout.rows:
        there = ", ".join(key or "(unnamed)" for key in layout.rows)
        raise IsoglossError(f"no part '{wanted}' in {name}", remedy=f"available parts: {there}")
    return layout.rows[wanted]


def _pair(layout: Layout, first: str, second: str, name: str) -> dict[str, Path]:
    if paths := layout.pairs.get((first, second)):
        return {first: paths[0], second: paths[1]}
    if paths := layout.pairs.get((second, first)):
        return {first: paths[1], second: paths[0]}
    partners = sorted({b if a == first else a for a, b in layout.pairs if first in {a, b}})
    raise IsoglossError(f"{name} has no pair {first}-{second}", remedy=f"{first} is paired with: {', '.join(partners)}")


def read_bitexts(
    folder: Path,
    name: str,
    pivot: str = "en",
    languages: Sequence[str] | None = None,
    limit: int | None = None,
    part: str | None = None,
) -> tuple[ParallelText, ...]:
    """A bitext of ``pivot`` and each other language; from row-parallel files they share their rows' origin."""
    layout = read_layout(folder)
    if not layout.rows and not layout.pairs:
        raise no_parallel(folder)
    rows = _part_of(layout, part, name) if layout.rows else {}
    codes = sorted(rows) if rows else sorted({code for pair in layout.pairs for code in pair})
    middle = pick_language(pivot, codes, name)
    partners = codes if rows else sorted({code for pair in layout.pairs if middle in pair for code in pair})
    others = partners if languages is None else [pick_language(code, codes, name) for code in languages]
    bitexts = []
    for other in dict.fromkeys(code for code in others if code != middle):
        files = {middle: rows[middle], other: rows[other]} if rows else _pair(layout, middle, other, name)
        bitexts.append(read_rows(files, limit, f"{name} {middle}-{other}", layout.left_out))
    return tuple(bitexts)


def no_parallel(folder: Path) -> IsoglossError:
    """The complaint about a folder in which nothing is recognised as parallel text."""
    return IsoglossError(
        "no parallel text found here",
        where=folder,
        remedy="name files by their language (de.txt, en.txt, ...; line n says the same in each), "
        "or as pairs (any.de-en.de and any.de-en.en)",
    )
