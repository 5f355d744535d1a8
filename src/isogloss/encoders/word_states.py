"""Vectors of words apart from any sentence: entries of the vocabulary, or means over occurrences (Wu20 §5.1.1)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from isogloss.encoders.encoder import Encoder
from isogloss.encoders.subwords import Tokeniser
from isogloss.progress import Task

States = NDArray[np.float32]


def entry_vectors(encoder: Encoder, words: Sequence[str]) -> tuple[list[int], States]:
    """The input embeddings (n x d) of those of ``words`` that are one subword, and their places among ``words``."""
    tokeniser = Tokeniser(encoder.tokenizer)
    # Each word stands after itself: in running text most words follow a blank, which is part of some entries.
    read = tokeniser.read_words([[word, word] for word in words], 0)
    places, ids = [], []
    for place, one in enumerate(read):
        begin, end = one.spans[1]
        if end - begin == 1 and one.ids[begin] != tokeniser.unknown:
            places.append(place)
            ids.append(one.ids[begin])
    table = encoder.model.get_input_embeddings().weight.detach()
    return places, np.asarray(table[ids].float().cpu().numpy())


def mean_word_states(
    encoder: Encoder, sentences: Sequence[Sequence[str]], words: Sequence[str]
) -> tuple[States, NDArray[np.int64]]:
    """For each of ``words`` (lower case) the mean over its occurrences of the mean of its subwords, words x layers x d,
    and how many occurrences there were; a word without any has zeros. Sentences are read once, in a stream."""
    place = {word: number for number, word in enumerate(words)}
    totals = np.zeros((len(words), len(encoder.layers), encoder.width), dtype=np.float32)
    counts = np.zeros(len(words), dtype=np.int64)
    with Task("reading words", total=len(sentences)) as task:
        for block in encoder.stream([list(sentence) for sentence in sentences], level="word"):
            spots = zip(block.sentence.tolist(), block.position.tolist(), strict=True)
            rows = np.array([place.get(sentences[line][spot].lower(), -1) for line, spot in spots], dtype=np.int64)
            kept = np.flatnonzero((rows >= 0) & ~block.missing)
            kept = kept[np.argsort(rows[kept], kind="stable")]
            if len(kept):
                starts = np.flatnonzero(np.diff(rows[kept], prepend=-1))
                totals[rows[kept][starts]] += np.add.reduceat(block.values[kept], starts, axis=0)
                counts += np.bincount(rows[kept], minlength=len(words))
            task.advance(block.counts.sentences)
    totals /= np.maximum(counts, 1)[:, None, None]
    return totals, counts
