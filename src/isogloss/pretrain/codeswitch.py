"""Code-switching: words replaced by dictionary translations while training, for extra anchors (Wu20 §4.2)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from isogloss.corpora.records import Dictionary
from isogloss.errors import IsoglossError, unknown_name
from isogloss.pretrain.prepare import Corpus
from isogloss.pretrain.recipe import CodeSwitch, Recipe

Rows = npt.NDArray[np.int64]
Pieces = tuple[int, ...]


@dataclass(frozen=True)
class Translations:
    """What a word (its ids) may become, and how often each."""

    choices: tuple[Pieces, ...]
    cumulative: npt.NDArray[np.float64]

    def pick(self, number: float) -> Pieces:
        """The translation at ``number``, drawn evenly between 0 and 1."""
        return self.choices[int(np.searchsorted(self.cumulative, number, side="right"))]


@dataclass(frozen=True)
class Switch:
    """Dictionaries turned into ids, by language."""

    settings: CodeSwitch
    translations: Mapping[str, Mapping[Pieces, Translations]]
    starts: Mapping[str, npt.NDArray[np.bool_]]  # for every id, whether it begins a word
    fixed: frozenset[int]  # special tokens
    pad: int

    @staticmethod
    def of(dictionaries: Sequence[Dictionary], corpus: Corpus, recipe: Recipe) -> "Switch":
        """Prepare dictionaries for a corpus; one that shares no word with the text is an error."""
        if recipe.sharing.embeddings == "separate":
            raise IsoglossError(
                "code-switching puts words of one language into another's text, which separate embeddings do not "
                "contain", where="recipe: sharing.embeddings", remedy="share the embeddings, or give no dictionary",
            )  # fmt: skip
        specials = corpus.tokenisers.specials
        found: dict[str, dict[Pieces, Translations]] = {}
        for dictionary in dictionaries:
            for language in (dictionary.source, dictionary.target):
                if language not in corpus.languages:
                    raise unknown_name("language", language, corpus.languages, where="dictionary")
            table = _table(dictionary, corpus.tokenisers.by_language, _used(corpus, dictionary.source))
            found.setdefault(dictionary.source, {}).update(table)
        return Switch(
            recipe.codeswitch,
            found,
            {language: words.starts.numpy() for language, words in corpus.words.items()},
            frozenset(specials.ids),
            specials.pad,
        )

    def apply(self, language: str, rows: Rows, random: np.random.Generator) -> Rows:
        """Rows (rows x tokens) with some words replaced, cut at the old width; shorter rows are padded."""
        known = self.translations.get(language)
        if not known:
            return rows
        words = [list(self._words(language, row)) for row in rows]
        total = sum(sum(1 for word in row if word[0] not in self.fixed) for row in words)
        places = [(i, j) for i, row in enumerate(words) for j, word in enumerate(row) if word in known]
        chosen = [place for place in places if random.random() < self.settings.share]
        most = int(self.settings.limit * total)
        if len(chosen) > most:
            chosen = [chosen[k] for k in sorted(random.choice(len(chosen), size=most, replace=False))]
        for i, j in chosen:
            words[i][j] = known[words[i][j]].pick(random.random())
        return _as_rows(words, rows.shape[1], self.pad)

    def _words(self, language: str, row: Rows) -> Iterator[Pieces]:
        """A row's ids word by word; every special token is a word of its own."""
        cuts = np.flatnonzero(self.starts[language][row])
        bounds = np.unique(np.concatenate([[0], cuts, [len(row)]]))
        ids = row.tolist()
        for first, end in pairwise(bounds.tolist()):
            yield tuple(ids[first:end])


def _as_rows(words: list[list[Pieces]], width: int, pad: int) -> Rows:
    flat = [[index for word in row for index in word][:width] for row in words]
    longest = max(len(row) for row in flat)
    return np.array([row + [pad] * (longest - len(row)) for row in flat], dtype=np.int64)


def _used(corpus: Corpus, language: str) -> set[int]:
    return set(np.flatnonzero(corpus.training[language].counts(corpus.tokenisers.size(language))).tolist())


def _table(dictionary: Dictionary, tokenisers: Mapping[str, Tokenizer], used: set[int]) -> dict[Pieces, Translations]:
    """Translations by the ids of the source word; words whose pieces never occur in the text are left out."""
    gathered: dict[Pieces, dict[Pieces, float]] = {}
    for word, translation, weight in _with_capitals(dictionary):
        source = _pieces(tokenisers[dictionary.source], word)
        if source and used.issuperset(source) and weight > 0:
            target = _pieces(tokenisers[dictionary.target], translation)
            row = gathered.setdefault(source, {})
            row[target] = row.get(target, 0.0) + weight
    if not gathered:
        raise IsoglossError(
            f"no word of this dictionary is in the text of '{dictionary.source}'",
            where=f"dictionary {dictionary.source}-{dictionary.target}",
            remedy="check its language and direction, and that it has one pair per line",
        )
    return {word: _translations(row) for word, row in gathered.items()}


def _with_capitals(dictionary: Dictionary) -> Iterator[tuple[str, str, float]]:
    """Entries and their weights. Most dictionaries are in lower case and most text is not, so an entry stands for the
    capitalised word too, and its translation then has a capital; unless the dictionary has that word itself.
    """
    weights = dictionary.weights or (1.0,) * len(dictionary.entries)
    words = {word for word, _ in dictionary.entries}
    for (word, translation), weight in zip(dictionary.entries, weights, strict=True):
        yield word, translation, weight
        capital = word[:1].upper() + word[1:]
        if capital not in words:
            yield capital, translation[:1].upper() + translation[1:], weight


def _translations(row: dict[Pieces, float]) -> Translations:
    shares = np.array(list(row.values())) / sum(row.values())
    cumulative = shares.cumsum()
    cumulative[-1] = 1.0
    return Translations(tuple(row), cumulative)


def _pieces(tokeniser: Tokenizer, word: str) -> Pieces:
    return tuple(tokeniser.encode(word, add_special_tokens=False).ids)
