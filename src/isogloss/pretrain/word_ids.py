"""Ids of sentences by way of their words: a text has few different words, and each needs to be split only once."""

import json
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

Numbers = npt.NDArray[np.int64]
MOST_WORDS = 300_000  # kept at a time, so that memory does not grow with the text
BY_WORD = {"NFC", "Lowercase"}  # normalisers that never look past a space
BLANKS = {"pattern": {"Regex": r"\s+"}, "content": " "}


class SentenceEncoder:
    """Turns sentences into ids, word by word where the tokeniser's words end at spaces."""

    def __init__(self, tokeniser: Tokenizer) -> None:
        self._tokeniser, self._by_word = tokeniser, splits_at_spaces(tokeniser)
        self._forget()

    def _forget(self) -> None:
        self._numbers: dict[str, int] = {}
        self._ids: Numbers = np.zeros(0, dtype=np.int64)  # of all words met so far, one after the other
        self._sizes: Numbers = np.zeros(0, dtype=np.int64)

    def encode(self, sentences: Sequence[str]) -> tuple[Numbers, Numbers]:
        """The ids of all sentences, one after the other, and how many each has; special tokens are not added."""
        if not self._by_word:
            return _flat(self._tokeniser, sentences)
        words = [sentence.split(" ") for sentence in sentences]
        running = list(chain.from_iterable(words))
        self._learn(running)
        numbers = np.fromiter(map(self._numbers.__getitem__, running), np.int64, len(running))
        sizes = self._sizes[numbers]
        ends = np.cumsum(sizes)
        first = (np.cumsum(self._sizes) - self._sizes)[numbers]  # where each word's ids begin
        ids = self._ids[np.repeat(first - (ends - sizes), sizes) + np.arange(ends[-1] if len(ends) else 0)]
        last = np.cumsum([len(row) for row in words]) - 1
        return ids, np.diff(ends[last], prepend=0)

    def _learn(self, running: list[str]) -> None:
        """Split the words that were not met before."""
        if len(self._numbers) > MOST_WORDS:
            self._forget()
        new = [word for word in dict.fromkeys(running) if word not in self._numbers]
        ids, sizes = _flat(self._tokeniser, new)
        self._numbers.update(zip(new, range(len(self._numbers), len(self._numbers) + len(new)), strict=True))
        self._ids, self._sizes = np.concatenate([self._ids, ids]), np.concatenate([self._sizes, sizes])


def splits_at_spaces(tokeniser: Tokenizer) -> bool:
    """Whether a text's tokens are those of its words: nothing in the tokeniser looks past a space."""
    content = json.loads(tokeniser.to_str())
    normalisers, splitters = (
        _parts(content["normalizer"], "normalizers"),
        _parts(content["pre_tokenizer"], "pretokenizers"),
    )
    plain = all(
        part["type"] in BY_WORD or (part["type"] == "Replace" and BLANKS.items() <= part.items())
        for part in normalisers
    )
    cut = bool(splitters) and splitters[0]["type"] == "WhitespaceSplit"
    alone = not any(" " in token["content"] or token["lstrip"] or token["rstrip"] for token in content["added_tokens"])
    return plain and cut and alone and not content["truncation"] and not content["padding"]


def _parts(part: dict[str, Any] | None, inside: str) -> list[dict[str, Any]]:
    if part is None:
        return []
    return part[inside] if part["type"] == "Sequence" else [part]


def _flat(tokeniser: Tokenizer, texts: Sequence[str]) -> tuple[Numbers, Numbers]:
    rows = [row.ids for row in tokeniser.encode_batch_fast(texts, add_special_tokens=False)]
    sizes = np.array([len(row) for row in rows], dtype=np.int64)
    return np.fromiter(chain.from_iterable(rows), np.int64, int(sizes.sum())), sizes


def in_chunks(sentences: Iterator[str], size: int) -> Iterator[list[str]]:
    """``size`` sentences at a time."""
    while chunk := list(islice(sentences, size)):
        yield chunk
