"""From text to subword numbers, with and without a fast tokeniser; special tokens are kept apart from the text."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from isogloss.digests import digest_bytes
from isogloss.encoders.levels import Piece
from isogloss.errors import IsoglossError


@dataclass(frozen=True)
class Subwords:
    """One sentence as subwords, special tokens left out. ``spans`` are words: subwords [start, end) of each."""

    ids: list[int]
    spans: list[tuple[int, int]]


class Tokeniser:
    """A transformers tokeniser, fast or not, reduced to what an encoder needs of it."""

    def __init__(self, tokenizer: Any) -> None:
        self.prefix, self.suffix = find_frame(tokenizer)
        self.pad = next(
            (i for i in (tokenizer.pad_token_id, tokenizer.eos_token_id, tokenizer.unk_token_id) if i is not None), 0
        )
        self.unknown = tokenizer.unk_token_id
        self._tokenizer = tokenizer
        self._backend = tokenizer.backend_tokenizer if tokenizer.is_fast else None
        self.read_whole()

    def read_whole(self) -> None:
        """Read texts in full and as they are, whatever the tokeniser was last asked to cut or pad."""
        if self._backend is not None:
            self._backend.no_truncation()
            self._backend.no_padding()

    @cached_property
    def content(self) -> str | None:
        """What tells this tokeniser from one that reads text in another way; None for one in Python, which cannot."""
        if self._backend is None:
            return None
        told = (
            type(self._tokenizer).__name__,
            tuple(self._tokenizer.model_input_names),
            self._tokenizer.truncation_side,
        )
        return digest_bytes(f"{told} {self._backend.to_str()}".encode())

    @cached_property
    def _spaced(self) -> bool:
        return self._backend is not None and needs_spaces(self._backend)

    def read_sentences(self, texts: Sequence[object], start: int, prompt: str = "") -> list[Subwords]:
        """Subwords of running text after a prompt; ``start`` is the number of the first one, for messages."""
        checked = [prompt + check_text(text, number) for number, text in enumerate(texts, start)]
        if self._backend is None:
            return [Subwords(self._plain(text), []) for text in checked]
        encoded = self._backend.encode_batch(checked, add_special_tokens=False)
        return [Subwords(list(one.ids), []) for one in encoded]

    def read_words(self, texts: Sequence[object], start: int) -> list[Subwords]:
        """Subwords of pre-split words; a word's span is empty where it has none."""
        checked = [check_words(words, number) for number, words in enumerate(texts, start)]
        if self._backend is None:
            return [self._word_by_word(words) for words in checked]
        spaced = [space_words(words) for words in checked] if self._spaced else checked
        encoded = self._backend.encode_batch(spaced, is_pretokenized=True, add_special_tokens=False)
        return [
            Subwords(list(one.ids), spans_of(one.word_ids, len(words)))
            for one, words in zip(encoded, checked, strict=True)
        ]

    def read_running_words(self, texts: Sequence[object], start: int) -> list[Subwords]:
        """Subwords of running text with the spans of its words, as the tokeniser itself splits it."""
        if self._backend is None:
            return self.read_words(
                [check_text(text, number).split() for number, text in enumerate(texts, start)], start
            )
        checked = [check_text(text, number) for number, text in enumerate(texts, start)]
        encoded = self._backend.encode_batch(checked, add_special_tokens=False)
        counts = [max((word for word in one.word_ids if word is not None), default=-1) + 1 for one in encoded]
        return [
            Subwords(list(one.ids), spans_of(one.word_ids, count)) for one, count in zip(encoded, counts, strict=True)
        ]

    def _word_by_word(self, words: Sequence[str]) -> Subwords:
        ids: list[int] = []
        spans = []
        for word in words:
            more = self._plain(word)
            spans.append((len(ids), len(ids) + len(more)))
            ids += more
        return Subwords(ids, spans)

    def frame(self, ids: list[int]) -> list[int]:
        """Subwords with the special tokens before and after them."""
        return [*self.prefix, *ids, *self.suffix]

    def sentence_piece(self, ids: list[int], row: int, pooling: str) -> Piece:
        """A whole sentence as one row: the mean leaves special tokens out, CLS is the first token, last the last."""
        framed = self.frame(ids)
        ends = {"cls": (0, 1), "last": (len(framed) - 1, len(framed))}
        return Piece(framed, [row], [ends.get(pooling, (len(self.prefix), len(self.prefix) + len(ids)))])

    def prompt_length(self, prompt: str) -> int:
        """The tokens that a prompt takes at the start of an input, special ones before it among them."""
        return len(self.prefix) + len(self.read_sentences([prompt], 0)[0].ids)

    def count_unknown(self, ids: list[int]) -> int:
        """How many of the subwords are the unknown one."""
        return 0 if self.unknown is None else ids.count(self.unknown)

    def _plain(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False, verbose=False))


def spans_of(word_ids: Sequence[int | None], words: int) -> list[tuple[int, int]]:
    """Subwords [start, end) of each word; empty for a word that has none."""
    spans = [(0, 0)] * words
    for place, word in enumerate(word_ids):
        if word is not None:
            begin, end = spans[word]
            spans[word] = (begin if end else place, place + 1)
    return spans


def needs_spaces(backend: Any) -> bool:
    """Whether pre-split words lose the space before them, which running text has (byte-level BPE, Gemma)."""
    entries = sorted({entry.strip("▁Ġ#") for entry in backend.get_vocab()})
    words = [entry for entry in entries if len(entry) > 1 and entry.isalpha()]
    plain = spaced = 0
    for word in words[:: max(1, len(words) // 20)]:
        text = backend.encode(f"{word} {word}", add_special_tokens=False).ids
        plain += text == backend.encode([word, word], is_pretokenized=True, add_special_tokens=False).ids
        spaced += text == backend.encode([word, f" {word}"], is_pretokenized=True, add_special_tokens=False).ids
    return spaced > plain


def space_words(words: Sequence[str]) -> list[str]:
    """Words with the space that stands before them in running text."""
    return [f" {word}" if place and word.strip() else word.strip() for place, word in enumerate(words)]


def check_text(text: object, number: int) -> str:
    """The text, if it is one. Refuse what is not text, is empty, or holds half of a character."""
    where = f"text {number + 1}"
    if not isinstance(text, str):
        raise IsoglossError(
            f"this is a {type(text).__name__}, not a text", where=where, remedy="give a list of strings"
        )
    if not text.strip():
        raise IsoglossError("this text is empty", where=where, remedy="leave empty lines out, in every language")
    check_characters(text, where)
    return text


def check_words(words: object, number: int) -> list[str]:
    """The words, if they are a list of words."""
    where = f"text {number + 1}"
    if isinstance(words, str) or not isinstance(words, Sequence) or not all(isinstance(word, str) for word in words):
        raise IsoglossError(
            "expected a list of words",
            where=where,
            remedy="split the text into words first",
        )
    for word in words:
        check_characters(word, where)
    return list(words)


def check_characters(text: str, where: str) -> None:
    """Refuse a lone surrogate: what is left of a character when bytes that are not UTF-8 were read as text."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise IsoglossError(
            f"character {error.start + 1} is half a character (U+{ord(text[error.start]):04X}): the file was not UTF-8",
            where=where, remedy="convert the file to UTF-8, for instance with iconv",
        ) from error  # fmt: skip


def find_frame(tokenizer: Any) -> tuple[list[int], list[int]]:
    """The special tokens put before and after a text: ``([CLS], [SEP])`` for BERT, ``([], [</s>])`` for T5."""
    for sample in ("a", "1", "我", "ა", *tokenizer.get_vocab()):
        bare = list(tokenizer.encode(sample, add_special_tokens=False, verbose=False))
        if not bare:
            continue  # a vocabulary may drop what it does not know
        framed = list(tokenizer.encode(sample, verbose=False))
        for start in range(len(framed) - len(bare) + 1):
            if framed[start : start + len(bare)] == bare:
                return framed[:start], framed[start + len(bare) :]
        break
    raise IsoglossError(
        "the tokeniser gives no subword, or different ones when it adds special tokens",
        remedy="open the model with its own tokeniser",
    )


def lower_case(tokenizer: Any) -> None:
    """Let a fast tokeniser lower-case text before anything else, as a pipeline may ask for."""
    from tokenizers import normalizers

    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None:
        tokenizer.do_lower_case = True
        return
    present = [] if backend.normalizer is None else [backend.normalizer]
    backend.normalizer = normalizers.Sequence([normalizers.Lowercase(), *present])
