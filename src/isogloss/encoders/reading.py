"""Run pieces of text through a model and pool each layer while it is there: token states are never kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from isogloss.encoders.batching import cut_batches
from isogloss.encoders.layers import Stack, evaluating
from isogloss.encoders.levels import Piece, fill_bags
from isogloss.encoders.packed import packed_inputs
from isogloss.encoders.pooling import Pool, Pooler

__all__ = ["LONGEST_EAGER", "Reader", "evaluating"]

States = NDArray[np.float32]
TOKEN_BUDGET = {"cpu": 1024, "cuda": 32768, "mps": 8192}  # measured on the CPU: more is no faster, and pads more
LONGEST_EAGER = 256  # tokens; up to here two plain matrix products beat the fused kernel on a CPU (measured)


@dataclass(frozen=True, eq=False)
class Output:
    """What a pipeline makes of the last layer: its pooling, the layers behind it, the first ``width`` dimensions."""

    pooler: Pooler
    tail: nn.Module
    width: int


class Reader:
    """A stack of layers on a device, fed by token budget."""

    def __init__(self, stack: Stack, pad: int, device: torch.device) -> None:
        self.stack, self.pad, self.device = stack, pad, device
        self.budget = TOKEN_BUDGET.get(device.type, 8192)
        self._attention = _present_attention(stack.model)

    def read(
        self,
        pieces: Sequence[Piece],
        layers: tuple[int, ...],
        out: States,
        *,
        weighted: bool = False,
        pooler: Pooler | None = None,
        output: tuple[Output, States] | None = None,
    ) -> None:
        """Fill the rows of ``out`` (rows x layers x d) that the pieces name, and of the output where it is wanted.

        Rows are pooled over their spans, ``weighted`` by position or not; by ``pooler`` where there is one.
        """
        packed = self.stack.reads_packed
        with torch.inference_mode(), evaluating(self.stack.model):
            for batch in cut_batches(pieces, self.budget, packed=packed):
                lengths = np.array([len(piece.ids) for piece in batch])
                firsts = np.cumsum(lengths) - lengths if packed else np.arange(len(batch)) * lengths.max()
                inputs = packed_inputs(batch, self.stack.model.embeddings) if packed else self._inputs(batch, lengths)
                if pooler is None:
                    pool = Pool((fill_bags(batch, firsts, weighted=weighted),), ("mean",), self.device)
                else:
                    pool = Pool(pooler.bags(batch, firsts), pooler.modes, self.device)
                last = None
                if output is not None:
                    made = output[0].pooler
                    last = Pool(made.bags(batch, firsts), made.modes, self.device)
                self._choose_attention(int(lengths.max()))
                self._read_batch(inputs, layers, pool, out, output, last)

    def _read_batch(
        self,
        inputs: dict[str, Any],
        layers: tuple[int, ...],
        pool: Pool,
        out: States,
        output: tuple[Output, States] | None,
        last: Pool | None,
    ) -> None:
        pooled: dict[int, Tensor] = {}
        top = self.stack.depth

        def receive(layer: int, states: Tensor) -> None:
            if layer in layers:
                pooled[layer] = pool(states)
            if output is not None and last is not None and layer == top:
                made, rows = output
                rows[last.rows] = made.tail(last(states))[:, : made.width].cpu().numpy()

        wanted = layers if output is None else (*layers, top)
        self.stack.forward(inputs, wanted, receive)
        if layers:
            out[pool.rows] = torch.stack([pooled[layer] for layer in layers], dim=1).cpu().numpy()

    def _inputs(self, batch: list[Piece], lengths: NDArray[np.int64]) -> dict[str, Any]:
        """Numbers padded on the right; the mask is left out where nothing is padded."""
        longest = int(lengths.max())
        ids = np.full((len(batch), longest), self.pad, dtype=np.int64)
        for line, piece in zip(ids, batch, strict=True):
            line[: len(piece.ids)] = piece.ids
        inputs: dict[str, Any] = {"input_ids": torch.from_numpy(ids).to(self.device)}
        if lengths.min() < longest:
            mask = (np.arange(longest) < lengths[:, None]).astype(np.int64)
            inputs["attention_mask"] = torch.from_numpy(mask).to(self.device)
        if self.stack.causal:
            inputs["use_cache"] = False
        return inputs

    def _choose_attention(self, longest: int) -> None:
        if self._attention not in {"eager", "sdpa"} or self.device.type != "cpu":
            return
        best = "eager" if longest <= LONGEST_EAGER else "sdpa"
        if best != self._attention:
            self.stack.model.set_attn_implementation(best)
            self._attention = best


def _present_attention(model: Any) -> str | None:
    """The attention in use, where the model can choose; None where its attention is its own."""
    return model.config._attn_implementation if getattr(model, "_supports_sdpa", False) else None
