"""``isogloss data check``: what a file or folder is, how much is in it, and what is wrong with it."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from isogloss.corpora.catalog import (
    ALIGNMENTS,
    DICTIONARY,
    PARALLEL,
    TYPOLOGY,
    VECTORS,
    Place,
    locate,
)
from isogloss.corpora.corpus import Corpus
from isogloss.corpora.detect import kind_of
from isogloss.corpora.fetch import broken_files
from isogloss.corpora.labdata import is_lab
from isogloss.corpora.load import load_alignments, load_bitexts, load_corpus, load_dictionary, load_vectors, load_wals
from isogloss.corpora.records import Pair, TaggedSentence, Tree
from isogloss.errors import IsoglossError


@dataclass(frozen=True, slots=True)
class Line:
    """One part of one language (or pair): how many records and words, and how often each label stands."""

    subject: str
    part: str
    records: int
    words: int = 0
    labels: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Findings:
    """What ``check`` found at a place."""

    kind: str
    lines: tuple[Line, ...]
    left_out: Mapping[str, int]
    problems: tuple[str, ...]
    revision: str = ""


def check(name: str | Path, kind: str | None = None) -> Findings:
    """Read everything at a place; what is wrong is listed (the first fault a file), not raised."""
    place = Place(str(name), Path()) if is_lab(name) else locate(name)
    kind = kind or ("trees" if is_lab(name) else kind_of(place))
    others = {PARALLEL: _parallel, DICTIONARY: _dictionaries, ALIGNMENTS: _alignments, VECTORS: _vectors}
    if kind in others or kind == TYPOLOGY:
        try:
            found = _typology(name) if kind == TYPOLOGY else others[kind](name, place)
        except IsoglossError as error:
            found = Findings(kind, (), {}, (str(error),))
    else:
        found = _streams(load_corpus(name, kind, on_error="raise"), load_corpus(name, kind, on_error="skip"))
    changed = tuple(f"{file}: missing or changed since it was fetched" for file in broken_files(place.folder))
    return Findings(found.kind, found.lines, found.left_out, (*changed, *found.problems), found.revision)


def _streams(strict: Corpus[Any], patient: Corpus[Any]) -> Findings:
    """Read each file twice: until its first fault, and again past its faults to count the rest."""
    problems: dict[str, None] = {}
    lines = []
    tally = Counter(patient.skipped)
    for first, again in zip(strict.sources, patient.sources, strict=True):
        try:
            for _ in first.read(Counter()):
                pass
        except IsoglossError as error:
            problems[str(error)] = None
        try:
            lines.append(Line(again.language, again.part, *_count(again.read(tally))))
        except IsoglossError as error:
            problems[str(error)] = None
    return Findings(strict.kind, tuple(lines), dict(tally), tuple(problems), strict.revision)


def _count(records: Iterator[Any]) -> tuple[int, int, dict[str, int]]:
    size = words = 0
    labels: Counter[str] = Counter()
    for record in records:
        size += 1
        if isinstance(record, Tree):
            words += len(record.words)
            labels.update(record.upos)
        elif isinstance(record, TaggedSentence):
            words += len(record.words)
            labels.update(record.tags)
        elif isinstance(record, Pair):
            labels[record.label] += 1
        else:
            words += len(record.text.split())
    return size, words, dict(labels.most_common())


def _parallel(name: str | Path, place: Place) -> Findings:
    from isogloss.corpora.parallel import read_layout, read_parallel

    layout = read_layout(place.folder)
    if layout.rows:
        texts = [(part, read_parallel(place.folder, place.name, part=part or None)) for part in layout.rows]
        lines = [
            Line(code, part, len(text), sum(len(row.split()) for row in rows))
            for part, text in texts
            for code, rows in text.texts.items()
        ]
        return Findings(PARALLEL, tuple(lines), dict(texts[0][1].left_out), (), texts[0][1].revision)
    pivot = Counter(code for pair in layout.pairs for code in pair).most_common(1)[0][0]
    bitexts = load_bitexts(name, pivot)
    left_out: Counter[str] = Counter()
    for bitext in bitexts:
        left_out.update(bitext.left_out)
    lines = [Line("-".join(bitext.languages), "", len(bitext)) for bitext in bitexts]
    return Findings(PARALLEL, tuple(lines), dict(left_out), ())


def _dictionaries(name: str | Path, place: Place) -> Findings:
    from isogloss.corpora.dictionaries import dictionary_files

    lines, left_out = [], Counter[str]()
    for source, target, part in dictionary_files(place.folder):
        found = load_dictionary(name, source, target, part or None)
        left_out.update(found.left_out)
        lines.append(Line(f"{source}-{target}", part, len(found.entries)))
    return Findings(DICTIONARY, tuple(lines), dict(left_out), ())


def _alignments(name: str | Path, place: Place) -> Findings:
    from isogloss.corpora.alignments import alignment_files

    lines = []
    for source, target in alignment_files(place.folder):
        rows = load_alignments(name, source, target).rows
        labels = {"sure": sum(len(row.sure) for row in rows), "possible": sum(len(row.possible) for row in rows)}
        lines.append(Line(f"{source}-{target}", "", len(rows), sum(len(row.first) for row in rows), labels))
    return Findings(ALIGNMENTS, tuple(lines), {}, ())


def _vectors(name: str | Path, place: Place) -> Findings:
    files = [place.folder] if place.folder.is_file() else sorted(place.folder.glob("*.vec*"))
    lines = [Line(path.name, "", len(load_vectors(path).words)) for path in files]
    return Findings(VECTORS, tuple(lines), {}, ())


def _typology(name: str | Path) -> Findings:
    wals = load_wals(name)
    subject = f"{len(wals.languages):,} languages, {len(wals.features):,} features"
    return Findings(TYPOLOGY, (Line(subject, "", len(wals)),), {}, ())
