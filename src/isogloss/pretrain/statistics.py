"""What a vocabulary does to a text: how much of it languages share, how finely it splits words, what it cannot read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from isogloss.pretrain.prepare import Corpus

Tally = npt.NDArray[np.int64]


@dataclass(frozen=True)
class VocabularyUse:
    """A language's use of its vocabulary in the training text; separators are not counted."""

    language: str
    entries: int  # entries that occur
    shared_entries: int  # of these, strings that another language's text has too
    anchors: float  # share of the running tokens that are such strings
    fertility: float  # tokens per word
    unknown: float  # share of the tokens that the vocabulary cannot read
    tokens: int
    cut: float = 0.0  # share of the tokens lost where sentences are longer than a row


def vocabulary_use(corpus: "Corpus", longest: int | None = None) -> list[VocabularyUse]:
    """Statistics by language. ``longest``: the row's length, where rows are sentences and longer ones are cut."""
    counts = {language: stream.counts(corpus.tokenisers.size(language)) for language, stream in corpus.training.items()}
    for tally in counts.values():
        tally[corpus.tokenisers.specials.separator] = 0
    strings = {language: _strings(corpus.tokenisers.by_language[language], tally) for language, tally in counts.items()}
    return [_use(corpus, language, counts[language], strings, longest) for language in corpus.languages]


def _use(
    corpus: "Corpus",
    language: str,
    tally: Tally,
    strings: Mapping[str, dict[str, int]],
    longest: int | None,
) -> VocabularyUse:
    own = strings[language]
    elsewhere = set().union(*(entries for other, entries in strings.items() if other != language))
    shared = [entry for entry in own if entry in elsewhere]
    total = int(tally.sum())
    starts = corpus.words[language].starts.numpy()[: len(tally)]
    lengths = corpus.training[language].lengths()
    lost = 0 if longest is None else int(np.maximum(lengths + 2 - longest, 0).sum())
    return VocabularyUse(
        language=language,
        entries=len(own),
        shared_entries=len(shared),
        anchors=sum(own[entry] for entry in shared) / max(1, total),
        fertility=total / max(1, int(tally[starts].sum())),
        unknown=int(tally[corpus.tokenisers.specials.unknown]) / max(1, total),
        tokens=total,
        cut=lost / max(1, total),
    )


def complaints(uses: list[VocabularyUse]) -> list[str]:
    """What a user should know before trusting a run."""
    found = [
        f"{use.unknown:.1%} of the text of '{use.language}' is unknown to the vocabulary: enlarge vocabulary.size"
        for use in uses
        if use.unknown > 0.01
    ]
    return found + [
        f"{use.cut:.1%} of the text of '{use.language}' is lost where sentences are cut: raise data.length"
        for use in uses
        if use.cut > 0.01
    ]


def _strings(tokeniser: "Tokenizer", tally: Tally) -> dict[str, int]:
    """How often each entry occurs, by its string: ids of different vocabularies cannot be compared."""
    return {str(tokeniser.id_to_token(int(index))): int(tally[index]) for index in np.flatnonzero(tally)}
