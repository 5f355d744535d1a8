"""The lab's constructed languages through the same calls as files: ``lab``, ``lab:twins``, ``lab:twins:7`` (a seed),
``lab:twins?anchors=0.3`` (a knob), ``lab:twins/1`` (sentences, trees and entities of one domain of its world)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from isogloss.corpora.alignments import GoldAlignments
from isogloss.corpora.catalog import LAB, NLI, PAIRS, PARAPHRASE, TAGGED, TEXT, TREES
from isogloss.corpora.corpus import Source, Tally, part_name
from isogloss.corpora.lab import Lab
from isogloss.corpora.lab.names import LabName
from isogloss.corpora.lab.typology import FEATURES
from isogloss.corpora.lines import content_hash
from isogloss.corpora.records import Dictionary, ParallelText, Sentence
from isogloss.errors import IsoglossError, unknown_name
from isogloss.languages import Language, Wals

# How much a part holds unless a limit says so; the lab itself has no end.
SIZES = {"train": 2_000, "dev": 500, "test": 500}
TEXT_SIZE, PARALLEL_SIZE = 20_000, 500
MOST_ROWS = 5_000_000  # a language and part: what the lab makes lies in memory
LAB_PARTS = {"train": "train", "dev": "validation", "test": "test"}
Maker = Callable[[str, int, str], Sequence[Any]]


def is_lab(name: object) -> bool:
    """Whether a name means the lab and not a file."""
    return isinstance(name, str) and (name == LAB or name.startswith((f"{LAB}:", f"{LAB}?")))


@lru_cache(maxsize=4)
def open_lab(name: str) -> Lab:
    """The lab of a name (``corpora/lab/names.py``); a domain (``/1``) is not part of it."""
    return Lab(LabName.parse(name).config())


def lab_domain(name: str) -> int | None:
    """The domain that ``lab:families/1`` asks for; None where all are mixed."""
    return LabName.parse(name).domain


def lab_revision(lab: Lab) -> str:
    """A name for what this lab makes: its knobs decide every sentence."""
    return content_hash((), (repr(lab.config),))


def lab_codes(lab: Lab, asked: Sequence[str] | None) -> tuple[str, ...]:
    """The lab's languages, or those asked for."""
    return lab.codes if asked is None else tuple(lab.language(code).code for code in asked)


def lab_sources(name: str, kind: str, languages: Sequence[str] | None, limit: int | None) -> list[Source[Any]]:
    """Streams of every part of the lab's languages."""
    lab = open_lab(name)
    domain = lab_domain(name)
    makers = _makers(lab, domain)
    if kind not in makers:
        raise unknown_name("kind of data", kind, makers, where=name)
    identity = f"{lab_revision(lab)}/{kind}/{limit}" + ("" if domain is None else f"/{domain}")
    return [
        Source(code, part, partial(_read, makers[kind], code, _size(kind, part, limit), part), identity=identity)
        for code in lab_codes(lab, languages)
        for part in SIZES
    ]


def _size(kind: str, part: str, limit: int | None) -> int:
    usual = TEXT_SIZE if kind == TEXT and part == "train" else SIZES[part]
    return usual if limit is None else check_lab_size(limit)


def check_lab_size(rows: int) -> int:
    """The lab makes as much as is asked for; what no memory holds is refused before it begins."""
    if not 1 <= rows <= MOST_ROWS:
        raise IsoglossError(f"the lab cannot make {rows:,} rows", remedy=f"ask for 1 to {MOST_ROWS:,}")
    return rows


def _makers(lab: Lab, domain: int | None) -> dict[str, Maker]:
    """How records of each kind are made; pairs are of all domains, so one domain has none."""

    def text(code: str, size: int, part: str) -> list[Sentence]:
        return [Sentence(line, code) for line in lab.text(code, size, part, domain)]

    sentences: dict[str, Maker] = {
        TREES: partial(lab.trees, domain=domain),
        TAGGED: partial(lab.entities, domain=domain),
        TEXT: text,
    }
    return sentences if domain is not None else {**sentences, **_pair_makers(lab)}


def _pair_makers(lab: Lab) -> dict[str, Maker]:
    return {NLI: lab.nli, PAIRS: lab.nli, PARAPHRASE: lab.paraphrases}


def _read(make: Maker, code: str, size: int, part: str, _: Tally) -> Iterator[Any]:
    return iter(make(code, size, LAB_PARTS[part]))


def lab_parallel(name: str, languages: Sequence[str] | None, limit: int | None, part: str | None) -> ParallelText:
    """Parallel text of the natural pool; the part ``hard`` is the hard pool, where only content words tell."""
    lab = open_lab(name)
    pool, wanted = ("hard", "test") if part == "hard" else ("natural", part_name(part or "test"))
    if wanted not in LAB_PARTS:
        raise unknown_name("part", wanted, [*LAB_PARTS, "hard"], where=name)
    text = lab.parallel(
        check_lab_size(PARALLEL_SIZE if limit is None else limit), lab_codes(lab, languages), pool, LAB_PARTS[wanted]
    )
    return replace(text, name=f"{name} {pool} {wanted}", revision=lab_revision(lab))


def lab_dictionary(name: str, source: str, target: str) -> Dictionary:
    """The lab's dictionary of two languages, by lemma."""
    lab = open_lab(name)
    return replace(lab.dictionary(source, target), revision=lab_revision(lab))


def lab_alignments(name: str, source: str | None, target: str | None, limit: int | None) -> GoldAlignments:
    """Gold alignments of two of the lab's languages, the first two unless named."""
    lab = open_lab(name)
    one, other = source or lab.codes[0], target or lab.codes[1]
    rows = tuple(lab.alignments(one, other, check_lab_size(PARALLEL_SIZE if limit is None else limit)))
    return GoldAlignments(one, other, rows, name, lab_revision(lab))


def lab_wals(name: str) -> Wals:
    """The lab's typology under WALS's numbers; a family is its own genus."""
    lab = open_lab(name)
    languages = {
        spoken.code: Language(
            spoken.code, spoken.name, script="", family=spoken.family, genus=spoken.family, wals=spoken.code
        )
        for spoken in lab.languages
    }
    names = {
        f"{feature}-{number}": text for feature, (_, values) in FEATURES.items() for number, text in values.items()
    }
    values: dict[str, dict[str, str]] = {code: {} for code in languages}
    for value in lab.features():
        values[value.language][value.feature] = value.code
    return Wals(languages, {feature: title for feature, (title, _) in FEATURES.items()}, names, values, {})
