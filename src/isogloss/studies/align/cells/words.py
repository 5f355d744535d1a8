"""Words: do entries of two vocabularies, or means over occurrences, translate each other after a map (Wu20 Fig. 4)?"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isogloss.corpora import WordVectors, load_vectors
from isogloss.corpora.words import split_words
from isogloss.errors import IsoglossError
from isogloss.files import whole_file
from isogloss.geometry import Vocabulary
from isogloss.probes.statistics import wilson
from isogloss.progress import Task
from isogloss.runs import Bench, Cell
from isogloss.studies.align.cells.inputs import Entries, Lexicon, VectorFile
from isogloss.studies.align.cells.sentences import pair_layers
from isogloss.studies.shared.models import Checkpoint, open_model
from isogloss.transfer import Data

if TYPE_CHECKING:
    from isogloss.encoders import Encoder

FILE = "words.parquet"
COLUMNS = ["vectors", "layer", "measure", "value", "low", "high", "n", "pairs", "candidates"]
ENTRIES, CONTEXT = "entries", "context"
BASELINE = {ENTRIES: "baseline, entries", CONTEXT: "baseline, context"}
FEWEST = 5  # entries of whole words on either side of the split, to compare input embeddings at all
HELD_OUT = 5  # every fifth entry of those to learn from chooses the layer
Rows = Iterator[tuple[object, ...]]


@dataclass(frozen=True)
class WordRecord:
    """How many words each side has: all, those of one subword; what was measured is a table in the cell's folder."""

    words: tuple[int, int]
    entries: tuple[int, int]
    baseline: str
    train: int
    test: int
    dtype: str = "float32"  # always


@dataclass(frozen=True)
class WordLevel(Cell[WordRecord]):
    """Dictionary induction with and without context, every layer, beside word vectors on the same words."""

    name: ClassVar[str] = "align-words"
    record: ClassVar[type] = WordRecord
    version: ClassVar[int] = 2
    source_model: Any = field(default_factory=lambda: Checkpoint(""))
    target_model: Any = field(default_factory=lambda: Checkpoint(""))
    texts: tuple[Data, Data] | tuple[()] = ()
    lexicon: Lexicon = field(default_factory=lambda: Lexicon("", "", "", False, 0.5))
    vectors: tuple[VectorFile | None, VectorFile | None] = (None, None)
    occurrences: int = 5_000
    most_words: int = 200_000
    window: int = 5
    rounds: int = 10
    device: str = "auto"

    def label(self) -> str:
        return f"words of {self.lexicon.source} and {self.lexicon.target}"

    def run(self, bench: Bench) -> WordRecord:
        train, test = self.lexicon.split()
        models = (self.source_model, self.target_model)
        source, target = (
            self._read(open_model(model, bench, self.device, "float32"), text, file)
            for model, text, file in zip(models, self.texts, self.vectors, strict=True)
        )
        rows = list(self._measure(source, target, train, test))
        with whole_file(bench.workspace / FILE) as part:
            pd.DataFrame(rows, columns=COLUMNS).to_parquet(part, index=False)
        return WordRecord(
            words=(len(source.words), len(target.words)),
            entries=(len(source.places), len(target.places)),
            baseline=" and ".join(dict.fromkeys(".vec file" if file else "PPMI-SVD" for file in self.vectors)),
            train=len(train),
            test=len(test),
        )

    def _read(self, encoder: "Encoder", text: Data, file: VectorFile | None) -> "Side":
        from isogloss.corpora.distributional import ppmi_vectors

        sentences = [split_words(record.text) for record in text.read()]
        if not sentences:
            raise IsoglossError("this text is empty", where=text.describe(), remedy="give text in this language")
        if file:
            with file.unchanged():
                baseline = load_vectors(file.path, self.most_words)
        else:
            lower = [[word.lower() for word in sentence] for sentence in sentences]
            baseline = ppmi_vectors(lower, encoder.width, self.window, self.most_words)
        return read_side(encoder, sentences, baseline, self.occurrences, self.most_words)

    def _measure(self, source: "Side", target: "Side", train: Entries, test: Entries) -> Rows:
        """Encoders and baseline on the same words, so that they can be compared."""
        with Task("translating words", total=source.states.shape[1] + 1) as task:
            pairs = [side.entries() for side in (source, target)]
            if min(_covered(pairs, entries) for entries in (train, test)) >= FEWEST:  # some vocabularies are of pieces
                yield from self._compare(ENTRIES, -1, pairs, (source, target), train, test)
            task.advance()
            for layer, other in pair_layers(source.states.shape[1] - 1, target.states.shape[1] - 1):
                pairs = [source.context(layer), target.context(other)]
                yield from self._compare(CONTEXT, layer, pairs, (source, target), train, test)
                task.advance()

    def _compare(
        self, kind: str, layer: int, pair: Sequence[Vocabulary], sides: tuple["Side", "Side"], train: Entries,
        test: Entries,
    ) -> Rows:  # fmt: skip
        if kind == CONTEXT:  # a layer is to be chosen
            learnt = tuple(entry for place, entry in enumerate(train) if place % HELD_OUT)
            yield from self._rows(kind, layer, pair, learnt, train[::HELD_OUT], choice=True)
        yield from self._rows(kind, layer, pair, train, test)
        if layer <= 0:  # the baseline has no layers
            plain = [side.plain(one.words) for side, one in zip(sides, pair, strict=True)]
            yield from self._rows(BASELINE[kind], -1, plain, train, test)

    def _rows(
        self, name: str, layer: int, pair: Sequence[Vocabulary], train: Entries, test: Entries, choice: bool = False
    ) -> Rows:
        from isogloss.geometry import induce

        try:
            found = induce(pair[0], pair[1], train, test, self.rounds)
        except IsoglossError as error:
            raise IsoglossError(
                f"{error.what} ({name})",
                where=self.lexicon.name,
                remedy="the text must have the dictionary's words, in the order source, target; see the first entries",
            ) from error
        for measure, right in (("csls", found.by_csls), ("cosine", found.by_cosine)):
            one = wilson(int(right.sum()), len(right))
            title = f"{measure}, held out" if choice else measure
            yield (name, layer, title, one.value, one.low, one.high, one.n, found.pairs, found.candidates)


@dataclass(frozen=True, eq=False)
class Side:
    """One language: words of its text that have a baseline vector, frequent ones first, and all their vectors."""

    words: tuple[str, ...]
    places: list[int]  # of words that are one subword
    table: NDArray[np.float32]  # their input embeddings
    states: NDArray[np.float32]  # words x layers x d, means over occurrences
    baseline: WordVectors

    def entries(self) -> Vocabulary:
        return Vocabulary([self.words[place] for place in self.places], self.table)

    def context(self, layer: int) -> Vocabulary:
        return Vocabulary(self.words, self.states[:, layer])

    def plain(self, words: Sequence[str]) -> Vocabulary:
        """The baseline's vectors of the same words."""
        place = {word: number for number, word in enumerate(self.baseline.words)}
        return Vocabulary(words, self.baseline.vectors[[place[word] for word in words]])


def _covered(pair: Sequence[Vocabulary], entries: Entries) -> int:
    """How many entries have both words."""
    first, second = (set(one.words) for one in pair)
    return sum(source in first and target in second for source, target in entries)


def read_side(
    encoder: "Encoder", sentences: Sequence[Sequence[str]], baseline: WordVectors, occurrences: int, most: int
) -> Side:
    """Read the words of a language: those of the first ``occurrences`` sentences that the baseline has too.

    Words are told apart in lower case, as dictionaries have them, but read as the text writes them: an encoder that
    knows capitals would not know a lower-case German noun.
    """
    from isogloss.encoders.word_states import entry_vectors, mean_word_states

    known, read = set(baseline.words), sentences[:occurrences]
    written = Counter(word for sentence in read for word in sentence)
    counts: Counter[str] = Counter()
    form: dict[str, str] = {}  # in which a word is written most often
    for word, count in written.most_common():
        counts[word.lower()] += count
        form.setdefault(word.lower(), word)
    words = [word for word, _ in counts.most_common(most) if word in known]
    states, seen = mean_word_states(encoder, read, words)
    kept = np.flatnonzero(seen)
    words = [words[place] for place in kept]
    places, table = entry_vectors(encoder, [form[word] for word in words])
    return Side(tuple(words), places, table, states[kept], baseline)
