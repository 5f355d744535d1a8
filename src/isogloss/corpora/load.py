"""One call a kind of data: a catalog name, the lab or a path in; typed records out."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from isogloss.corpora.alignments import GoldAlignments, read_alignments
from isogloss.corpora.catalog import NLI, PAIRS, PARALLEL, PARAPHRASE, TAGGED, TEXT, TREES, Place, locate
from isogloss.corpora.conllu import OnError
from isogloss.corpora.corpus import Corpus, Source, Tally, choose_part
from isogloss.corpora.detect import kind_of
from isogloss.corpora.dictionaries import read_dictionary
from isogloss.corpora.frames import keep_frame
from isogloss.corpora.hub import hub_sources, is_hub, parse_hub
from isogloss.corpora.labdata import is_lab, lab_alignments, lab_dictionary, lab_parallel, lab_sources, lab_wals
from isogloss.corpora.own_text import OwnText, is_frame, is_own, read_own
from isogloss.corpora.pair_text import parallel_from_pairs, paraphrases_from_pairs, read_paraphrases
from isogloss.corpora.parallel import read_bitexts, read_parallel
from isogloss.corpora.records import Dictionary, Pair, ParallelText, Sentence, TaggedSentence, Tree
from isogloss.corpora.sources import pair_sources, tagged_sources, text_sources, tree_sources
from isogloss.corpora.tree_text import parallel_from_trees
from isogloss.corpora.vectors import WordVectors, read_vectors
from isogloss.errors import IsoglossError
from isogloss.languages import Wals

Languages = Sequence[str] | None
Opener = Callable[[Place, Languages, OnError], tuple[list[Source[Any]], Tally]]
OPENERS: dict[str, Opener] = {
    TREES: tree_sources,
    TAGGED: tagged_sources,
    PAIRS: pair_sources,
    NLI: pair_sources,
    PARAPHRASE: pair_sources,
    TEXT: text_sources,
}
OTHER_CALLS = {PARALLEL: "load_parallel", "vectors": "load_vectors", "typology": "load_wals"}


def load_corpus(
    name: Any,
    kind: str | None = None,
    languages: Languages = None,
    part: str | None = None,
    limit: int | None = None,
    on_error: OnError = "raise",
) -> Corpus[Any]:
    """Records of trees, tagged sentences, pairs or text, by language and part, streamed from where they are.

    ``name``: of the catalog (``ud-pud``, ``wikiann``, ``xnli``, ...), ``lab``, ``lab:twins``, a path, or
    ``hub:facebook/xnli@main:de`` (only then is a network used), or a DataFrame or dataset (``frames.keep_frame``).
    ``limit`` holds for each language and part.
    """
    if is_frame(name):
        name = keep_frame(name, TEXT if kind is None else kind)
    title, tally = str(name), Tally()
    if kind == TEXT and is_own(name):
        found = own_sources(read_own(name, languages), title)
    elif is_lab(name):
        kind = kind or TREES
        found = lab_sources(title, kind, languages, limit)
    elif is_hub(name):
        kind, found = hub_sources(parse_hub(title), languages, kind)
    else:
        place = locate(name)
        kind, title = kind or kind_of(place, tuple(OPENERS)), place.name
        if kind not in OPENERS:
            call = OTHER_CALLS.get(kind, f"load_{kind}")
            raise IsoglossError(f"{name} holds {kind}, not sentences one by one", remedy=f"read it with {call}")
        found, tally = OPENERS[kind](place, languages, on_error)
    return Corpus(title, kind, choose_part(found, part, title), limit, dict(tally))


def load_trees(
    name: Any,
    languages: Languages = None,
    part: str | None = None,
    limit: int | None = None,
    on_error: OnError = "raise",
) -> Corpus[Tree]:
    """Dependency trees: ``ud-pud``, ``ud-ewt``, ``ud``, ``lab``, a CoNLL-U file, a folder of treebanks."""
    return load_corpus(name, TREES, languages, part, limit, on_error)


def load_tagged(
    name: Any,
    languages: Languages = None,
    part: str | None = None,
    limit: int | None = None,
    on_error: OnError = "raise",
) -> Corpus[TaggedSentence]:
    """Named entities as BIO tags: ``wikiann``, ``panx``, ``conll2003``, ``lab``, a file or folder like theirs."""
    return load_corpus(name, TAGGED, languages, part, limit, on_error)


def load_pairs(
    name: Any,
    languages: Languages = None,
    part: str | None = None,
    limit: int | None = None,
    on_error: OnError = "raise",
    task: str = NLI,
) -> Corpus[Pair]:
    """Pairs with a label: ``xnli``, ``mnli``, ``pawsx``, a file or folder like theirs.

    ``task`` (``nli`` or ``paraphrase``) says which pairs of the ``lab`` are meant; files tell by themselves.
    """
    return load_corpus(name, task if is_lab(name) else PAIRS, languages, part, limit, on_error)


def load_text(
    name: Any, languages: Languages = None, part: str | None = None, limit: int | None = None
) -> Corpus[Sentence]:
    """Plain text: ``tatoeba-text``, ``bible``, ``lab``, files or folders named by language, wikiextractor's output."""
    return load_corpus(name, TEXT, languages, part, limit)


def load_parallel(
    name: Any, languages: Languages = None, limit: int | None = None, part: str | None = None
) -> ParallelText:
    """Text whose row n says the same in every language, under Isogloss's own codes.

    ``name``: ``ntrex``, ``flores``, ``bible``, ``ud-pud``, a folder of ``code.txt`` files, ``lab``; two languages of
    pairs like ``tatoeba``; ``xnli`` and ``pawsx`` give the sentences of their pairs (of the test part, otherwise of
    dev); a table of one's own (CSV, TSV, JSON lines, Parquet, TMX, a DataFrame, a dataset) or text files in step
    (``news.de,news.en``). Rows blank in some language are left out and counted; in a table they are an error, with
    their place.
    """
    if is_own(name):
        return read_own(name, languages, limit).as_parallel()
    if is_lab(name):
        return lab_parallel(str(name), languages, limit, part)
    place = locate(name)
    kind = kind_of(place, (PARALLEL, TREES, PAIRS))
    if kind == TREES or place.treebank:
        return parallel_from_trees(load_trees(name, languages, part, on_error="skip"), limit)
    if kind == PAIRS:
        return parallel_from_pairs(_evaluation_pairs(name, languages, part), limit)
    return read_parallel(place.folder, place.name, languages, limit, part)


def load_own(name: Any, languages: Languages = None, limit: int | None = None) -> OwnText:
    """Sentences in several languages, translations of each other or not: whatever ``load_parallel`` reads, and tables
    with a language on each row."""
    if is_own(name):
        return read_own(name, languages, limit)
    text = load_parallel(name, languages, limit)
    return OwnText(text.texts, True, text.name, text.left_out)


def own_sources(own: OwnText, title: str) -> list[Source[Sentence]]:
    """A stream for each language of a table."""

    def read(code: str, tally: Tally) -> Iterator[Sentence]:
        return (Sentence(text, code, str(number)) for number, text in enumerate(own.texts[code], start=1))

    return [Source(code, "", partial(read, code), identity=f"{title} {own.revision}") for code in own.texts]


def _evaluation_pairs(name: str | Path, languages: Languages, part: str | None) -> Corpus[Pair]:
    """The part of a set of pairs that is there in several languages: test, or dev where there is no test."""
    if part is None:
        there = load_pairs(name, languages)
        counts = {one: len({s.language for s in there.sources if s.part == one}) for one in ("test", "dev", "valid")}
        part = max(counts, key=lambda one: (counts[one] > 1, one == "test", counts[one]))
    return load_pairs(name, languages, part)


def load_paraphrases(name: str | Path, language: str, limit: int | None = None) -> ParallelText:
    """Sentences and the same in other words, under ``language`` and ``language'``: back-translations, paraphrases.

    ``name``: a file of two columns (sentence, tab, paraphrase), ``lab``, or a set of labelled paraphrases (``pawsx``).
    """
    path = Path(name).expanduser()
    if path.is_file() and path.suffix in {".tsv", ".txt"} and kind_of(locate(path)) != PAIRS:
        rows, revision = read_paraphrases(path, limit)
    else:
        corpus = load_pairs(name, [language], "train" if is_lab(name) else None, task=PARAPHRASE)
        rows, revision = paraphrases_from_pairs(corpus.stream(), limit), corpus.revision
    if not rows:
        raise IsoglossError(
            "no paraphrase is found here",
            where=str(name),
            remedy="name a file of paraphrases, a paraphrase set or a lab",
        )
    first, second = zip(*rows, strict=True)
    return ParallelText({language: tuple(first), f"{language}'": tuple(second)}, str(name), revision)


def load_bitexts(
    name: str | Path,
    pivot: str | None = None,
    languages: Languages = None,
    limit: int | None = None,
    part: str | None = None,
) -> tuple[ParallelText, ...]:
    """Two-language parallel texts of ``pivot`` (English, or the first language) with each other: as Tatoeba comes."""
    if not is_lab(name) and not is_own(name):
        place = locate(name)
        if kind_of(place, (PARALLEL, TREES, PAIRS)) == PARALLEL and not place.treebank:
            return read_bitexts(place.folder, place.name, pivot or "en", languages, limit, part)
    wanted = None if languages is None or pivot is None else [pivot, *languages]
    whole = load_parallel(name, wanted or languages, limit, part)
    middle = pivot or ("en" if "en" in whole.languages else whole.languages[0])
    others = [code for code in whole.languages if code != middle]
    return tuple(
        replace(whole, texts={code: whole.texts[code] for code in (middle, other)}, name=f"{name} {middle}-{other}")
        for other in others
    )


def load_dictionary(name: str | Path, source: str, target: str, part: str | None = None) -> Dictionary:
    """Word translations from ``source`` to ``target``: ``dictionaries``, ``muse``, ``lab``, a file or folder."""
    if is_lab(name):
        return lab_dictionary(str(name), source, target)
    return read_dictionary(locate(name).folder, source, target, part)


def load_alignments(
    name: str | Path, source: str | None = None, target: str | None = None, limit: int | None = None, base: int = 1
) -> GoldAlignments:
    """Gold word alignments: ``alignments``, ``lab``, or a ``.gold`` file; ``base`` is the number of the first word."""
    if is_lab(name):
        return lab_alignments(str(name), source, target, limit)
    return read_alignments(locate(name).folder, source, target, limit, base)


def load_vectors(path: str | Path, limit: int | None = None) -> WordVectors:
    """Word vectors of a fastText ``.vec`` file, the first ``limit`` words."""
    return read_vectors(Path(path).expanduser(), limit)


def load_wals(name: str | Path = "wals") -> Wals:
    """Typological features: WALS in CLDF's tables, or the lab's own."""
    return lab_wals(str(name)) if is_lab(name) else Wals.load(locate(name).folder)
