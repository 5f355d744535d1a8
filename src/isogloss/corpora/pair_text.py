"""Parallel text from pairs of texts: the sentences of XNLI, row by row, and a sentence beside its paraphrase."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from isogloss.corpora.corpus import Corpus
from isogloss.corpora.lines import content_hash, read_lines
from isogloss.corpora.records import Pair, ParallelText
from isogloss.errors import IsoglossError

REPEATED = "sentences that came before"
SAME, OTHER = "1", "0"  # labels of paraphrases
Rewording = tuple[str, str]


def parallel_from_pairs(corpus: Corpus[Pair], limit: int | None = None) -> ParallelText:
    """Both texts of every pair, one after the other, in all languages; a sentence that comes again is left out.

    Row n must be the same pair in every language, as in XNLI and PAWS-X: their labels must agree.
    """
    columns = {code: corpus.read(code) for code in corpus.languages}
    first, *others = columns.values()
    for code, pairs in columns.items():
        if len(pairs) != len(first):
            raise _not_parallel(
                corpus.name, f"{len(pairs):,} pairs in '{code}', but {len(first):,} in another language"
            )
    for row, pair in enumerate(first):
        if any(other[row].label != pair.label for other in others):
            raise _not_parallel(corpus.name, f"pair {row + 1} has different labels in different languages")
    rows = [texts for pairs in zip(*columns.values(), strict=True) for texts in _both(pairs)]
    kept = list(dict.fromkeys(rows))
    left_out = corpus.left_out | ({REPEATED: len(rows) - len(kept)} if len(rows) > len(kept) else {})
    chosen = zip(*islice(kept, limit), strict=True)
    texts = dict(zip(columns, map(tuple, chosen), strict=True))
    return ParallelText(texts, corpus.name, corpus.revision, left_out)


def _both(pairs: Sequence[Pair]) -> Iterator[tuple[str, ...]]:
    yield tuple(pair.first for pair in pairs)
    yield tuple(pair.second for pair in pairs)


def _not_parallel(name: str, what: str) -> IsoglossError:
    return IsoglossError(what, where=name, remedy="row n must be the same pair in every language; use fewer languages")


def paraphrases_from_pairs(pairs: Iterator[Pair], limit: int | None = None) -> list[Rewording]:
    """The two texts of every pair that is a paraphrase."""
    return list(islice(((pair.first, pair.second) for pair in pairs if pair.label == SAME), limit))


def read_paraphrases(path: Path, limit: int | None = None) -> tuple[list[Rewording], str]:
    """Two columns, tabs between them: a sentence, and the same in other words. The revision is a hash of the file."""
    rows = []
    for line, text in read_lines(path):
        if not text.strip():
            continue
        fields = [field.strip() for field in text.split("\t")]
        if len(fields) != 2 or not all(fields):
            raise IsoglossError(
                f"{len(fields)} columns instead of a sentence and its paraphrase",
                where=f"{path}:{line}",
                remedy="write a sentence, a tab, and the paraphrase or back-translation on each line",
            )
        rows.append((fields[0], fields[1]))
    return rows[:limit], content_hash((path,), (path.name,))
