"""From a folder to the streams in it: which files hold which language and part, for each kind of data."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from isogloss.corpora.catalog import Place, treebanks
from isogloss.corpora.conllu import OnError, read_trees
from isogloss.corpora.corpus import Source, Tally, part_name, pick_language
from isogloss.corpora.discover import Named, discover, read_name
from isogloss.corpora.labels import refuse_hidden
from isogloss.corpora.pairs import languages_within, read_pairs
from isogloss.corpora.records import Pair, Sentence, TaggedSentence, Tree
from isogloss.corpora.tagged import read_tagged
from isogloss.corpora.text import read_text, text_files
from isogloss.errors import IsoglossError
from isogloss.languages import language, try_language

Record = TypeVar("Record")
Reader = Callable[[Path, str, Tally, OnError], Iterator[Record]]
UD_FILE = re.compile(r"^(?P<code>[a-z]{2,3})_[\w]+-ud-(?P<part>train|dev|test)(?:-\w+)?\.conllu$")
NAMELESS = "files whose name does not contain a language"
WIKIPEDIA = {"wikiann", "panx"}  # sets whose codes are Wikipedia's


def tree_sources(place: Place, only: Sequence[str] | None, on_error: OnError) -> tuple[list[Source[Tree]], Tally]:
    """Streams of trees: one CoNLL-U file, a treebank, or a folder of treebanks."""
    return _sources(_named_treebanks(place), only, place, _labelled_trees, on_error)


def _labelled_trees(path: Path, code: str, tally: Tally, on_error: OnError) -> Iterator[Tree]:
    return refuse_hidden(read_trees(path, code, tally, on_error), lambda tree: tree.upos, path)


def _named_treebanks(place: Place) -> list[Named]:
    if place.folder.is_file():
        files = [place.folder]
    else:
        folders = treebanks(place.folder, place.treebank) or [place.folder]
        files = [path for folder in folders for path in sorted(folder.rglob("*.conllu*"))]
    return [_named_treebank(path, place.folder) for path in files]


def _named_treebank(path: Path, root: Path) -> Named:
    match = UD_FILE.match(path.name)
    known = try_language(match["code"]) if match else None
    if match and known:
        return Named(path, known.code, part_name(match["part"]))
    # Outside UD's own naming: de-train.conllu, de/train.conllu, train.conllu.
    return Named(path, *_code_and_part(path.with_suffix(".txt"), root))


def _code_and_part(path: Path, root: Path) -> tuple[str, str]:
    named = read_name(path, root)
    return named.language, named.part


def tagged_sources(
    place: Place, only: Sequence[str] | None, on_error: OnError
) -> tuple[list[Source[TaggedSentence]], Tally]:
    """Streams of tagged sentences."""
    wiki = place.entry is not None and place.entry.name in WIKIPEDIA
    return _sources(discover(place.folder, "wikipedia" if wiki else "any"), only, place, read_tagged, on_error)


def pair_sources(place: Place, only: Sequence[str] | None, on_error: OnError) -> tuple[list[Source[Pair]], Tally]:
    """Streams of pairs; XNLI's own files name a language a row, MultiNLI is English."""
    named: list[Named] = []
    for item in _best_copies(discover(place.folder)):
        inner = () if item.language else languages_within(item.path)
        if place.entry is not None and place.entry.name == "mnli":
            inner = inner or ("en",)
        named += [Named(item.path, code, item.part) for code in inner or (item.language,)]
    return _sources(named, only, place, read_pairs, on_error)


def _best_copies(found: Iterable[Named]) -> list[Named]:
    """XNLI and MultiNLI ship each part as jsonl and as a table: read one of them."""
    best: dict[Path, Named] = {}
    for item in found:
        stem = item.path.with_suffix("")
        if stem not in best or item.path.suffix == ".jsonl":
            best[stem] = item
    return list(best.values())


def text_sources(
    place: Place, only: Sequence[str] | None, _: OnError = "raise"
) -> tuple[list[Source[Sentence]], Tally]:
    """Streams of plain text, in which nothing but its encoding can be wrong."""
    alone = language(only[0]).code if only and len(only) == 1 else None
    found, tally = text_files(place.folder, alone)
    streams = [Source(item.language, item.part, partial(read_text, item), item.files) for item in found]
    return _chosen(streams, only, place.name), tally


def _sources(
    named: Iterable[Named], only: Sequence[str] | None, place: Place, read: Reader[Record], on_error: OnError
) -> tuple[list[Source[Record]], Tally]:
    """Streams of the files whose language is known, by name or because just one language was asked for."""
    alone = language(only[0]).code if only and len(only) == 1 and place.folder.is_file() else ""
    tally: Tally = Counter()
    streams = []
    for item in named:
        code = alone or item.language
        if code:
            streams.append(Source(code, item.part, _bind(read, item.path, code, on_error), (item.path,)))
        else:
            tally[NAMELESS] += 1
    if not streams:
        raise IsoglossError(
            "no file name here contains a language",
            where=place.folder,
            remedy="name files like train-de.tsv or de/train.tsv, or give one file and one language",
        )
    return _chosen(streams, only, place.name), tally


def _bind(read: Reader[Record], path: Path, code: str, on_error: OnError) -> Callable[[Tally], Iterator[Record]]:
    return lambda tally: read(path, code, tally, on_error)


def _chosen(streams: list[Source[Record]], only: Sequence[str] | None, name: str) -> list[Source[Record]]:
    """The streams of the languages asked for, in that order."""
    if only is None:
        return streams
    there = [stream.language for stream in streams]
    codes = dict.fromkeys(pick_language(code, there, name) for code in only)
    return [stream for code in codes for stream in streams if stream.language == code]
