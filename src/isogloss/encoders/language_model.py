"""A language model: a reader with its head, so that hidden states become probabilities of words."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from isogloss.encoders.anatomy import text_reader
from isogloss.encoders.devices import choose_device, choose_dtype
from isogloss.encoders.hooks import hooked
from isogloss.encoders.layers import Stack, evaluating, find_stack
from isogloss.encoders.limits import choose_limit
from isogloss.encoders.opening import check_vocabulary, open_checkpoint
from isogloss.encoders.reading import TOKEN_BUDGET
from isogloss.encoders.subwords import Tokeniser
from isogloss.encoders.text_batches import TextBatch, TextReader
from isogloss.errors import IsoglossError

Floats = NDArray[np.float64]
HEAD_NUMBERS = 2**24  # logits held at a time: 64 MB
MASKED = 0.15  # share of a text's tokens that a masked model has to guess


class LanguageModel:
    """A decoder or a masked encoder that ``transformers`` opens, with its head. Computes in float32 unless told."""

    def __init__(
        self, name_or_path: str, revision: str | None = None, dtype: str = "float32", device: str = "auto"
    ) -> None:
        where = choose_device(device)
        checkpoint = open_checkpoint(
            str(name_or_path), revision, choose_dtype(dtype) or torch.float32,
            allow_pickle=False, trust_remote_code=False, with_head=True,
        )  # fmt: skip
        self._take(str(name_or_path), checkpoint.model.to(where), checkpoint.tokenizer)

    @classmethod
    def from_model(cls, model: Any, tokenizer: Any, name: str = "model") -> Self:
        """Wrap a transformers model with a head that is in memory, as it is."""
        check_vocabulary(model, tokenizer, name)
        made = cls.__new__(cls)
        made._take(name, model.eval(), tokenizer)
        return made

    def _take(self, name: str, model: Any, tokenizer: Any) -> None:
        if model.get_output_embeddings() is None:
            raise IsoglossError(
                "this model has no language model head", where=name,
                remedy="name a decoder or a masked language model",
            )  # fmt: skip
        self.name, self.model, self.tokenizer = name, model, tokenizer
        self.stack: Stack = find_stack(model)
        self.tokeniser = Tokeniser(tokenizer)
        self.device: torch.device = next(model.parameters()).device
        self.max_tokens = choose_limit(self.stack.model, tokenizer, len(self.tokeniser.frame([])), None)
        budget = TOKEN_BUDGET.get(self.device.type, 8192)
        self.texts = TextReader(self.tokeniser, self.max_tokens, budget, self.device)
        if not self.causal and tokenizer.mask_token_id is None:
            raise IsoglossError("this encoder's tokeniser has no mask token", where=name, remedy="name another model")

    @property
    def causal(self) -> bool:
        """Whether this is a decoder, whose tokens see only what stands before them."""
        return self.stack.causal

    def batches(self, texts: Iterable[str]) -> Iterator[TextBatch]:
        """Texts as batches for this model; what is too long is cut and counted in ``texts.counts``."""
        for batch in self.texts.read(texts):
            if self.causal:
                batch.inputs["use_cache"] = False
            yield batch

    def log_probabilities(self, states: Tensor) -> Iterator[tuple[slice, Tensor]]:
        """What the head says of ``states`` (m x d, final normalisation done), a few rows at a time.

        Yields the rows and their log-probabilities (rows x vocabulary), so that nobody holds all of them.
        """
        size = max(1, HEAD_NUMBERS // int(self.model.get_output_embeddings().weight.shape[0]))
        for start in range(0, len(states), size):
            rows = slice(start, min(start + size, len(states)))
            yield rows, self.logits(states[rows]).float().log_softmax(-1)

    def logits(self, states: Tensor) -> Tensor:
        """The model's own head on ``states`` (m x d): scales, caps and transforms of its family included."""

        def replace(_module: nn.Module, _args: tuple[Any, ...], output: Any) -> Any:
            output.last_hidden_state = states[None]
            return output

        one = torch.full((1, 1), self.tokeniser.pad, device=self.device)
        with hooked([(self.model.base_model, replace)]):
            logits: Tensor = self.model(input_ids=one).logits
        return logits[0]

    def losses(self, texts: Sequence[str]) -> tuple[Floats, NDArray[np.int64]]:
        """Each text's summed loss in nats, and of how many tokens.

        A decoder guesses every token that has another before it; a masked model the 15% that are hidden from it, the
        same ones every time.
        """
        sums, counts = np.zeros(len(texts)), np.zeros(len(texts), dtype=np.int64)
        with torch.inference_mode(), evaluating(self.model):
            for batch in self.batches(texts):
                inputs, where = self._guesses(batch)
                labels = batch.ids[where[0], where[1]]
                reading = where[1] - 1 if self.causal else where[1]
                states = text_reader(self.model)(**inputs).last_hidden_state[where[0], reading]
                parts = [logs.gather(1, labels[rows, None]) for rows, logs in self.log_probabilities(states)]
                logs = torch.cat(parts)[:, 0].double().cpu().numpy() if parts else np.zeros(0)
                texts_of = np.array(batch.rows)[where[0].cpu().numpy()]
                sums += np.bincount(texts_of, -logs, len(texts))
                counts += np.bincount(texts_of, minlength=len(texts))
        return sums, counts

    def _guesses(self, batch: TextBatch) -> tuple[dict[str, Any], tuple[Tensor, Tensor]]:
        """What the model reads, and the places (line, token) that it has to guess."""
        if self.causal:
            guessed = batch.text.clone()
            guessed[:, 0] = False
        else:
            guessed = torch.zeros_like(batch.text)
            for line, row in enumerate(batch.rows):
                places = batch.text[line].nonzero()[:, 0]
                random = torch.Generator().manual_seed(row)
                number = max(1, round(MASKED * len(places)))
                guessed[line, places[torch.randperm(len(places), generator=random)[:number].to(places.device)]] = True
        where = guessed.nonzero(as_tuple=True)
        if self.causal:
            return batch.inputs, (where[0], where[1])
        hidden = batch.ids.masked_fill(guessed, self.tokenizer.mask_token_id)
        return {**batch.inputs, "input_ids": hidden}, (where[0], where[1])
