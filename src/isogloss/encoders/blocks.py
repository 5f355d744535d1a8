"""What an encoder gives back: blocks of hidden states, and counts of what was read, cut or left without a state."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Counts:
    """What happened to the text on its way into the model. Counts of parts add up: ``sum(counts, Counts())``."""

    sentences: int = 0
    words: int = 0  # only where the input came split into words
    tokens: int = 0  # subwords fed to the model once, special tokens left out
    unknown: int = 0  # of those, the tokeniser's unknown token
    cut_sentences: int = 0  # longer than the model reads; the rest was left out
    cut_tokens: int = 0  # tokens lost that way
    windowed_sentences: int = 0  # read in several overlapping windows, nothing lost
    cut_words: int = 0  # words that do not fit into a window by themselves
    wordless: int = 0  # words that have no subword, and so no state

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))

    def notes(self) -> list[str]:
        """What a reader of results must know, a sentence each; empty when all of the text was read."""
        notes = []
        if self.cut_sentences:
            notes.append(
                f"{self.cut_sentences:,} of {self.sentences:,} sentences were longer than the model reads; "
                f"{self.cut_tokens:,} subwords were cut"
            )
        if self.windowed_sentences:
            notes.append(
                f"{self.windowed_sentences:,} of {self.sentences:,} sentences were read in overlapping windows"
            )
        if self.cut_words:
            notes.append(f"{self.cut_words:,} words were longer than a window and were cut")
        if self.wordless:
            notes.append(f"{self.wordless:,} of {self.words:,} words have no subword and so no state")
        return notes


@dataclass(frozen=True, eq=False)
class Block:
    """Hidden states of consecutive sentences, in order. A row is a sentence, a word or a subword token.

    A row without a state (a word that has no subword) is all zeros and marked in ``missing``.
    """

    values: NDArray[np.float32]  # rows x layers x d
    sentence: NDArray[np.int64]  # rows; the number of the sentence each row is from, counted from the stream's start
    position: NDArray[np.int64]  # rows; the number of the word or token in its sentence (0 for sentences)
    missing: NDArray[np.bool_]  # rows
    counts: Counts
    output: NDArray[np.float32] | None = None  # rows x its own width; what a pipeline makes of each sentence

    def columns(self) -> list[NDArray[np.float32]]:
        """The layers one by one, rows x d each, and the output last where it was asked for."""
        layers = [self.values[:, place] for place in range(self.values.shape[1])]
        return layers if self.output is None else [*layers, self.output]

    def __len__(self) -> int:
        return len(self.sentence)

    @staticmethod
    def join(blocks: Sequence["Block"], shape: tuple[int, int]) -> "Block":
        """One block out of several that follow each other, or none; ``shape`` is layers x d."""
        if not blocks:
            none = np.zeros(0, dtype=np.int64)
            return Block(np.zeros((0, *shape), dtype=np.float32), none, none, none.astype(bool), Counts())
        return Block(
            values=np.concatenate([block.values for block in blocks]),
            sentence=np.concatenate([block.sentence for block in blocks]),
            position=np.concatenate([block.position for block in blocks]),
            missing=np.concatenate([block.missing for block in blocks]),
            counts=sum((block.counts for block in blocks), Counts()),
        )
