"""The encoder: any checkpoint in; hidden states out, of every layer, by subword token, word or sentence."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Literal, Self, overload

import numpy as np
import torch
from numpy.typing import NDArray

from isogloss.encoders.batching import chunks, prepared_ahead
from isogloss.encoders.blocks import Block, Counts
from isogloss.encoders.cache import About, CachedStates, read_or_compute
from isogloss.encoders.devices import bfloat16_is_faster, choose_device, choose_dtype
from isogloss.encoders.fingerprints import text_fingerprint, tokeniser_fingerprint, weights_fingerprint
from isogloss.encoders.layers import choose_layers, find_stack, names_of_layers
from isogloss.encoders.levels import check_pooling
from isogloss.encoders.limits import choose_limit
from isogloss.encoders.opening import Checkpoint, check_vocabulary, open_checkpoint
from isogloss.encoders.precision import TOLERANCE, deviation, lower_weights, probe_inputs, restore_weights
from isogloss.encoders.reading import Reader
from isogloss.encoders.subwords import Tokeniser
from isogloss.encoders.windows import Text, Window, lay_out, rows_of
from isogloss.errors import IsoglossError

States = NDArray[np.float32]
BLOCK_BYTES = 48 * 2**20  # of states in one block, which is also the window that is sorted by length
MOST_SENTENCES = 4096  # in one block


class Encoder:
    """A model that reads text and shows every layer of it.

    ``dtype="auto"`` computes in bfloat16 where the machine is faster at it and a probe shows that it is safe for this
    model, in float32 otherwise; results are float32 always. ``max_tokens`` bounds the subwords read at once.
    """

    def __init__(
        self,
        name_or_path: str,
        revision: str | None = None,
        dtype: str = "auto",
        device: str = "auto",
        allow_pickle: bool = False,
        trust_remote_code: bool = False,
        max_tokens: int | None = None,
    ) -> None:
        where, number_type = choose_device(device), choose_dtype(dtype)
        checkpoint = open_checkpoint(
            str(name_or_path), revision, number_type or torch.float32,
            allow_pickle=allow_pickle, trust_remote_code=trust_remote_code,
        )  # fmt: skip
        self._take(str(name_or_path), checkpoint, where, number_type, max_tokens)

    @classmethod
    def from_model(cls, model: Any, tokenizer: Any, name: str = "model", max_tokens: int | None = None) -> Self:
        """Wrap a transformers model that is in memory, as it is: its device, its number type, its own weights."""
        check_vocabulary(model, tokenizer, name)
        parameter = next(model.parameters())
        encoder = cls.__new__(cls)
        encoder._take(name, Checkpoint(model, tokenizer, None), parameter.device, parameter.dtype, max_tokens)
        return encoder

    def _take(
        self, name: str, checkpoint: Checkpoint, device: torch.device, dtype: torch.dtype | None, max_tokens: int | None
    ) -> None:
        self.name, self.revision, self.device = name, checkpoint.revision, device
        self.tokenizer = checkpoint.tokenizer
        stack = find_stack(checkpoint.model)
        stack.model.to(device)
        self._tokeniser = Tokeniser(checkpoint.tokenizer)
        self.max_tokens = choose_limit(stack.model, checkpoint.tokenizer, len(self._tokeniser.frame([])), max_tokens)
        self._reader = Reader(stack, self._tokeniser.pad, device)
        self._dtype = dtype
        self.counts = Counts()  # of all that was read since opening

    @property
    def model(self) -> Any:
        """The transformers model that is read: the encoder, where there is also a decoder."""
        return self._reader.stack.model

    @property
    def layers(self) -> list[str]:
        """The layers' names; layer 0 is the embedding output."""
        return names_of_layers(self._reader.stack.depth)

    @property
    def width(self) -> int:
        """The number of dimensions of a hidden state."""
        return self._reader.stack.width

    @property
    def causal(self) -> bool:
        """Whether this is a decoder, whose tokens see only what stands before them."""
        return self._reader.stack.causal

    @property
    def dtype(self) -> torch.dtype:
        """The number type the model computes in; settled on first use."""
        if self._dtype is None:
            self._dtype = self._settle_dtype()
        return self._dtype

    @overload
    def encode(
        self,
        texts: Sequence[Text],
        level: Literal["sentence"] = "sentence",
        layers: object = "all",
        pooling: str = "mean",
    ) -> States: ...

    @overload
    def encode(
        self, texts: Sequence[Text], level: Literal["word", "token"], layers: object = "all", pooling: str = "mean"
    ) -> Block: ...

    @overload
    def encode(
        self, texts: Sequence[Text], level: str, layers: object = "all", pooling: str = "mean"
    ) -> States | Block: ...

    def encode(
        self, texts: Sequence[Text], level: str = "sentence", layers: object = "all", pooling: str = "mean"
    ) -> States | Block:
        """States of all ``texts``: n x layers x d for sentences, a Block for words and tokens (which are ragged)."""
        blocks = self.stream(texts, level, layers, pooling)
        shape = (len(choose_layers(layers, self._reader.stack.depth)), self.width)
        if level != "sentence":
            return Block.join(list(blocks), shape)
        states = np.empty((len(texts), *shape), dtype=np.float32)
        for block in blocks:
            states[block.sentence] = block.values
        return states

    def stream(
        self, texts: Iterable[Text], level: str = "sentence", layers: object = "all", pooling: str = "mean"
    ) -> Iterator[Block]:
        """Blocks of states in the order of ``texts``; memory does not grow with their number.

        ``texts`` are strings, for words lists of words. ``pooling``: of sentences ``mean`` (special tokens left out),
        ``cls``, ``last``, ``weighted`` (by position); of words ``mean`` or ``first`` subword.
        """
        if isinstance(texts, str):
            raise IsoglossError("this is one text, not several", where="texts", remedy="give a list of texts")
        check_pooling(level, pooling, has_cls=bool(self._tokeniser.prefix) and not self.causal)
        chosen = choose_layers(layers, self._reader.stack.depth)
        _ = self.dtype
        return self._stream(texts, level, chosen, pooling)

    def cached(
        self, texts: Sequence[Text], level: str = "sentence", layers: object = "all", pooling: str = "mean"
    ) -> CachedStates:
        """As ``encode``, but from the cache on disk where the same was computed before, and memory-mapped by layer."""
        return next(self.cached_each([texts], level, layers, pooling))

    def cached_each(
        self, bodies: Iterable[Sequence[Text]], level: str = "sentence", layers: object = "all", pooling: str = "mean"
    ) -> Iterator[CachedStates]:
        """``cached`` of one body of text after another; weights, which must not change meanwhile, are hashed once."""
        about = About(self.name, self.revision, level, pooling, str(self.dtype).removeprefix("torch."))
        model = [weights_fingerprint(self.model), tokeniser_fingerprint(self.tokenizer)]
        chosen = choose_layers(layers, self._reader.stack.depth)
        for texts in bodies:
            named = [*model, text_fingerprint(texts), level, pooling, about.dtype, str(self.max_tokens)]
            key = hashlib.sha256("\n".join(named).encode()).hexdigest()[:32]
            compute = partial(self.stream, texts, level, pooling=pooling)
            yield read_or_compute(key, about, chosen, self.width, compute)

    def _stream(self, texts: Iterable[Text], level: str, layers: tuple[int, ...], pooling: str) -> Iterator[Block]:
        rows = max(1, BLOCK_BYTES // (4 * len(layers) * self.width))
        portions = chunks(texts, lambda text: rows_of(text, level), rows, MOST_SENTENCES)

        room = self.max_tokens - len(self._tokeniser.frame([]))

        def prepare(portion: tuple[int, list[Text]]) -> Window:
            return lay_out(portion[1], portion[0], level, pooling, self._tokeniser, room)

        for window in prepared_ahead(portions, prepare):
            values = np.zeros((len(window.sentence), len(layers), self.width), dtype=np.float32)
            self._reader.read(window.pieces, layers, values, weighted=pooling == "weighted")
            self.counts += window.counts
            yield Block(values, window.sentence, window.position, window.missing, window.counts)

    def _settle_dtype(self) -> torch.dtype:
        stack = self._reader.stack
        if not bfloat16_is_faster(self.device, stack.width):
            return torch.float32
        exact = self._probe()
        weights = lower_weights(stack.model, torch.bfloat16)
        if deviation(exact, self._probe()) <= TOLERANCE:
            return torch.bfloat16
        restore_weights(stack.model, weights)
        return torch.float32

    def _probe(self) -> States:
        frame = self._tokeniser
        rows = len(self.tokenizer)
        probes = probe_inputs(rows, self.tokenizer.all_special_ids)
        pieces = [frame.sentence_piece(ids, row, "mean") for row, ids in enumerate(probes)]
        out = np.zeros((len(pieces), stack_depth := self._reader.stack.depth + 1, self.width), dtype=np.float32)
        self._reader.read(pieces, tuple(range(stack_depth)), out)
        return out
