"""The encoder: any checkpoint in; hidden states out, of every layer, by subword token, word or sentence."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, Self, overload

import numpy as np
import torch
from numpy.typing import NDArray

from isogloss.encoders.batching import chunks, prepared_ahead
from isogloss.encoders.blocks import Block, Counts
from isogloss.encoders.cache import About, CachedStates, read_or_compute
from isogloss.encoders.devices import INT8, bfloat16_is_faster, choose_device, choose_dtype
from isogloss.encoders.fingerprints import text_fingerprint, tokeniser_fingerprint, weights_fingerprint
from isogloss.encoders.int8 import Fidelity, round_products
from isogloss.encoders.layers import choose_columns, find_stack
from isogloss.encoders.levels import check_pooling
from isogloss.encoders.limits import choose_limit, deployed_limit
from isogloss.encoders.names import OWN, ModelName, names_of_layers
from isogloss.encoders.opening import Checkpoint, check_vocabulary, open_checkpoint
from isogloss.encoders.outputs import Reading, plan_reading
from isogloss.encoders.precision import (
    RANDOM,
    Probe,
    has_rogues,
    is_near,
    lower_weights,
    natural_inputs,
    probe_inputs,
    restore_weights,
)
from isogloss.encoders.products import use_fast_products
from isogloss.encoders.reading import Reader
from isogloss.encoders.subwords import Tokeniser
from isogloss.encoders.windows import Text, Window, lay_out_once, rows_of
from isogloss.errors import IsoglossError

States = NDArray[np.float32]
BLOCK_BYTES = 48 * 2**20  # of states in one block, which is also the window that is sorted by length
MOST_SENTENCES = 4096  # in one block


class Encoder:
    """A model that reads text and shows every layer of it.

    ``dtype="auto"`` computes in bfloat16 where the machine is faster at it and a probe shows that it is safe for this
    model, in float32 otherwise; ``"int8"`` computes products in 8-bit integers where that is near enough to float32
    (``fidelity``). Results are float32 always. ``max_tokens`` bounds the subwords read at once.

    A model with ``modules.json`` is read as the pipeline that sentence-transformers deploys: with its prompt, its
    pooling and its output. ``prompt``, ``pooling``, ``dim`` and ``adapter`` change that (``names.ModelName``);
    ``pipeline=False`` reads the transformer alone.
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
        *,
        prompt: str | None = None,
        pooling: str | None = None,
        dim: int | None = None,
        adapter: str | None = None,
        pipeline: bool = True,
    ) -> None:
        where, number_type = choose_device(device), choose_dtype("float32" if dtype == INT8 else dtype)
        given = {"prompt": prompt, "pooling": pooling, "dim": dim, "adapter": adapter}
        named = ModelName.parse(str(name_or_path)).with_settings(given)
        checkpoint = open_checkpoint(
            str(named), revision, number_type or torch.float32,
            allow_pickle=allow_pickle, trust_remote_code=trust_remote_code,
        )  # fmt: skip
        self._take(str(named), checkpoint, where, number_type, max_tokens, named if pipeline else None)
        if dtype == INT8:
            self._round_products()
        elif self._dtype is not None:
            self._hasten()

    @classmethod
    def from_model(cls, model: Any, tokenizer: Any, name: str = "model", max_tokens: int | None = None) -> Self:
        """Wrap a transformers model that is in memory, as it is: its device, its number type, its own weights."""
        check_vocabulary(model, tokenizer, name)
        parameter = next(model.parameters())
        encoder = cls.__new__(cls)
        encoder._take(name, Checkpoint(model, tokenizer, None), parameter.device, parameter.dtype, max_tokens)
        return encoder

    def _take(
        self,
        name: str,
        checkpoint: Checkpoint,
        device: torch.device,
        dtype: torch.dtype | None,
        max_tokens: int | None,
        named: ModelName | None = None,
    ) -> None:
        self.name, self.revision, self.device = name, checkpoint.revision, device
        self.tokenizer = checkpoint.tokenizer
        stack = find_stack(checkpoint.model)
        stack.model.to(device)
        self._tokeniser = Tokeniser(checkpoint.tokenizer)
        pipeline = checkpoint.pipeline if named is not None else None
        if pipeline is not None and max_tokens is None:
            max_tokens = deployed_limit(stack.model, checkpoint.tokenizer, pipeline.max_length)
        self.max_tokens = choose_limit(stack.model, checkpoint.tokenizer, len(self._tokeniser.frame([])), max_tokens)
        self._reader = Reader(stack, self._tokeniser.pad, device)
        self._dtype = dtype
        self.fidelity: Fidelity | None = None  # of 8-bit products, by language and layer
        self.counts = Counts()  # of all that was read since opening
        self.warnings, self.licence = checkpoint.warnings, checkpoint.licence
        self._reading = (
            Reading() if named is None else plan_reading(named, pipeline, self._tokeniser, stack.width, device)
        )
        check_pooling("sentence", self._reading.pooling, has_cls=self._has_cls)

    @property
    def model(self) -> Any:
        """The transformers model that is read: the encoder, where there is also a decoder."""
        return self._reader.stack.model

    @property
    def layers(self) -> list[str]:
        """The layers' names; layer 0 is the embedding output."""
        return names_of_layers(self._reader.stack.depth)

    @property
    def columns(self) -> list[str]:
        """The layers' names, and ``output`` last where the model is a pipeline that has one."""
        return self.layers if self._reading.output is None else [*self.layers, "output"]

    @property
    def output_width(self) -> int | None:
        """The number of dimensions of the pipeline's output; None where there is none."""
        return None if self._reading.output is None else self._reading.output.width

    @property
    def prompt(self) -> str:
        """The text read before every sentence; empty where there is none."""
        return self._reading.prompt

    @property
    def prompt_counts(self) -> Counts:
        """What the prompt adds to the counts of every sentence."""
        if not self.prompt:
            return Counts()
        ids = self._tokeniser.read_sentences([self.prompt], 0)[0].ids
        return Counts(tokens=len(ids), unknown=self._tokeniser.count_unknown(ids))

    @property
    def pooling(self) -> str:
        """How the layers' states become sentence vectors: ``own`` for the pipeline's pooling."""
        return self._reading.pooling

    @property
    def _has_cls(self) -> bool:
        return bool(self._tokeniser.prefix) and not self.causal

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
            self._hasten()
        return self._dtype

    @overload
    def encode(
        self,
        texts: Sequence[Text],
        level: Literal["sentence"] = "sentence",
        layers: object = "all",
        pooling: str | None = None,
    ) -> States: ...

    @overload
    def encode(
        self, texts: Sequence[Text], level: Literal["word", "token"], layers: object = "all", pooling: str | None = None
    ) -> Block: ...

    @overload
    def encode(
        self, texts: Sequence[Text], level: str, layers: object = "all", pooling: str | None = None
    ) -> States | Block: ...

    def encode(
        self, texts: Sequence[Text], level: str = "sentence", layers: object = "all", pooling: str | None = None
    ) -> States | Block:
        """States of all ``texts``: n x layers x d for sentences, a Block for words and tokens (which are ragged).

        ``layers="output"`` gives the vectors of the pipeline, n x 1 x its own width; ``"columns"`` all layers and the
        output, where these are of one width.
        """
        chosen, output = self._columns(layers)
        blocks = self.stream(texts, level, layers, pooling)
        shape = (len(chosen), self._width_of(level, pooling))
        if level != "sentence":
            return Block.join(list(blocks), shape)
        if output and chosen and self.output_width != shape[1]:
            raise IsoglossError(
                f"the output is {self.output_width} wide and the layers are {shape[1]}: one array cannot hold both",
                where="layers",
                remedy="ask for 'all' and for 'output', or use cached(), which keeps them apart",
            )
        width = shape[1] if chosen else self.output_width or 0
        states = np.empty((len(texts), len(chosen) + output, width), dtype=np.float32)
        for block in blocks:
            states[block.sentence] = np.stack(block.columns(), axis=1)
        return states

    def encode_columns(self, texts: Sequence[Text], pooling: str | None = None) -> list[States]:
        """Sentences at every layer, n x d each, and at a pipeline's output last, which may be of another width."""
        blocks = [block.columns() for block in self.stream(texts, layers="columns", pooling=pooling)]
        return [np.concatenate(parts) for parts in zip(*blocks, strict=True)]

    def stream(
        self, texts: Iterable[Text], level: str = "sentence", layers: object = "all", pooling: str | None = None
    ) -> Iterator[Block]:
        """Blocks of states in the order of ``texts``; memory does not grow with their number.

        ``texts`` are strings, for words lists of words. ``pooling``: of sentences ``mean`` (special tokens left out),
        ``cls``, ``last``, ``weighted`` (by position), ``own`` (the pipeline's, its default); of words
        ``mean`` or ``first`` subword.
        """
        if isinstance(texts, str):
            raise IsoglossError("this is one text, not several", where="texts", remedy="give a list of texts")
        pooling = self._reading.pooling_of(level, pooling)
        check_pooling(level, pooling, has_cls=self._has_cls)
        if pooling == OWN and self._reading.pooler is None:
            raise IsoglossError("this model does not define a pooling", where="pooling", remedy="pool by 'mean'")
        chosen, output = self._columns(layers)
        if output and level != "sentence":
            raise IsoglossError("only sentences have an output", where="layers", remedy="ask for layers")
        _ = self.dtype
        return self._stream(texts, level, chosen, pooling, output=output)

    def cached(
        self, texts: Sequence[Text], level: str = "sentence", layers: object = "all", pooling: str | None = None
    ) -> CachedStates:
        """As ``encode``, but from the cache on disk where the same was computed before, and memory-mapped by layer."""
        return next(self.cached_each([texts], level, layers, pooling))

    def cached_each(
        self,
        bodies: Iterable[Sequence[Text]],
        level: str = "sentence",
        layers: object = "all",
        pooling: str | None = None,
    ) -> Iterator[CachedStates]:
        """``cached`` of one body of text after another; weights, which must not change meanwhile, are hashed once.

        The output of a pipeline has the number after the last layer's.
        """
        pooling = self._reading.pooling_of(level, pooling)
        about = About(self.name, self.revision, level, pooling, str(self.dtype).removeprefix("torch."))
        model = [weights_fingerprint(self.model), tokeniser_fingerprint(self.tokenizer)]
        hidden, output = self._columns(layers)
        past = len(self.layers)  # the output's number
        extra = self._reading.key(pooling, output=output) if level == "sentence" else []
        if self.device.type == "cpu" and torch.get_num_threads() > 1:  # which round otherwise than one does
            extra = [*extra, f"{torch.get_num_threads()} threads"]

        def width_of(number: int) -> int:
            return (self.output_width or 0) if number == past else self._width_of(level, pooling)

        for texts in bodies:
            named = [*model, text_fingerprint(texts), level, pooling, about.dtype, str(self.max_tokens), *extra]
            key = hashlib.sha256("\n".join(named).encode()).hexdigest()[:32]

            def compute(numbers: tuple[int, ...], texts: Sequence[Text] = texts) -> Iterator[Block]:
                inner = tuple(number for number in numbers if number < past)
                return self._stream(texts, level, inner, pooling, output=past in numbers)

            yield read_or_compute(key, about, (*hidden, past) if output else hidden, width_of, compute)

    def _columns(self, layers: object) -> tuple[tuple[int, ...], bool]:
        return choose_columns(layers, self._reader.stack.depth, has_output=self._reading.output is not None)

    def _width_of(self, level: str, pooling: str | None) -> int:
        """The width of a layer's row: several times the model's where a pipeline's poolings stand side by side."""
        pooler = self._reading.pooler
        own = level == "sentence" and self._reading.pooling_of(level, pooling) == OWN
        return self.width * (len(pooler.modes) if own and pooler is not None else 1)

    def _stream(
        self, texts: Iterable[Text], level: str, layers: tuple[int, ...], pooling: str, *, output: bool = False
    ) -> Iterator[Block]:
        width, reading = self._width_of(level, pooling), self._reading
        rows = max(1, BLOCK_BYTES // (4 * max(1, len(layers)) * width))
        portions = chunks(texts, lambda text: rows_of(text, level), rows, MOST_SENTENCES)

        room = self.max_tokens - len(self._tokeniser.frame([]))

        def prepare(portion: tuple[int, list[Text]]) -> Window:
            return lay_out_once(portion[1], portion[0], level, pooling, self._tokeniser, room, reading.prompt)

        pooler = reading.pooler if level == "sentence" and pooling == OWN else None
        for window in prepared_ahead(portions, prepare):
            values = np.zeros((len(window.sentence), len(layers), width), dtype=np.float32)
            made = np.zeros((len(values), self.output_width or 0), dtype=np.float32) if output else None
            asked = None if made is None or reading.output is None else (reading.output, made)
            self._reader.read(
                window.pieces, layers, values, weighted=pooling == "weighted", pooler=pooler, output=asked
            )
            self.counts += window.counts
            yield Block(values, window.sentence, window.position, window.missing, window.counts, made)

    def _settle_dtype(self) -> torch.dtype:
        stack = self._reader.stack
        if not bfloat16_is_faster(self.device, stack.width):
            return torch.float32
        exact = self._read_probes()
        if has_rogues(exact):
            return torch.float32
        weights = lower_weights(stack.model, torch.bfloat16)
        if is_near(exact, self._read_probes()):
            return torch.bfloat16
        restore_weights(stack.model, weights)
        return torch.float32

    def _hasten(self) -> None:
        """Multiply as fast as this CPU can, once the number type is known."""
        if self._dtype == torch.float32 and self.device.type == "cpu":
            use_fast_products(self.model)

    def _round_products(self) -> None:
        """Compute products in 8-bit integers from now on."""
        if self.device.type != "cpu":
            raise IsoglossError("8-bit products are for the CPU", where="dtype", remedy="take auto, or --device cpu")
        self.fidelity, rounded, products = round_products(self.model, self._read_probes, self.name)
        self._dtype = torch.int8
        value, language, layer = self.fidelity.lowest
        kept = "" if rounded == products else f"; {products - rounded} of {products} products stay in float32"
        near = f"cosine with float32 at least {value:.4f} ({language}, layer {layer})"
        self.warnings = (*self.warnings, f"this model was read in 8-bit integers: {near}{kept}")

    def _read_probes(self) -> Probe:
        """States of random subwords and of the built-in sample by language, which do not depend on the user's text."""
        probes = {RANDOM: probe_inputs(len(self.tokenizer), self.tokenizer.all_special_ids)}
        probes |= natural_inputs(self._tokeniser)
        return {name: self._read_ids(inputs) for name, inputs in probes.items()}

    def _read_ids(self, inputs: list[list[int]]) -> States:
        """All layers of sentences given as subwords, pooled by mean: n x layers x d."""
        pieces = [self._tokeniser.sentence_piece(ids, row, "mean") for row, ids in enumerate(inputs)]
        out = np.zeros((len(pieces), stack_depth := self._reader.stack.depth + 1, self.width), dtype=np.float32)
        self._reader.read(pieces, tuple(range(stack_depth)), out)
        return out
