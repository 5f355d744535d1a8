"""Run pieces of text through a model and pool each layer while it is there: token states are never kept."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import embedding_bag

from isogloss.encoders.batching import cut_batches
from isogloss.encoders.layers import Stack, evaluating
from isogloss.encoders.levels import Piece, fill_bags

__all__ = ["LONGEST_EAGER", "Reader", "evaluating"]

States = NDArray[np.float32]
TOKEN_BUDGET = {"cpu": 1024, "cuda": 32768, "mps": 8192}  # measured on the CPU: more is no faster, and pads more
LONGEST_EAGER = 256  # tokens; up to here two plain matrix products beat the fused kernel on a CPU (measured)


class Reader:
    """A stack of layers on a device, fed by token budget."""

    def __init__(self, stack: Stack, pad: int, device: torch.device) -> None:
        self.stack, self.pad, self.device = stack, pad, device
        self.budget = TOKEN_BUDGET.get(device.type, 8192)
        self._attention = _present_attention(stack.model)

    def read(self, pieces: Sequence[Piece], layers: tuple[int, ...], out: States, *, weighted: bool = False) -> None:
        """Fill the rows of ``out`` (rows x layers x d) that the pieces name."""
        with torch.inference_mode(), evaluating(self.stack.model):
            for batch in cut_batches(pieces, self.budget):
                self._read_batch(batch, layers, out, weighted=weighted)

    def _read_batch(self, batch: list[Piece], layers: tuple[int, ...], out: States, *, weighted: bool) -> None:
        longest = max(len(piece.ids) for piece in batch)
        bags = fill_bags(batch, longest, weighted=weighted)
        tokens, starts, weights = (
            torch.from_numpy(part).to(self.device) for part in (bags.tokens, bags.starts, bags.weights)
        )
        pooled: dict[int, Tensor] = {}

        def pool(layer: int, states: Tensor) -> None:
            flat = states.reshape(-1, states.shape[-1]).float()  # batch * time x d
            pooled[layer] = embedding_bag(tokens, flat, starts, mode="sum", per_sample_weights=weights)

        self._choose_attention(longest)
        self.stack.forward(self._inputs(batch, longest), layers, pool)
        stacked = torch.stack([pooled[layer] for layer in layers], dim=1)  # rows x layers x d
        out[bags.rows] = stacked.cpu().numpy()

    def _inputs(self, batch: list[Piece], longest: int) -> dict[str, Any]:
        """Numbers padded on the right; the mask is left out where nothing is padded."""
        lengths = np.array([len(piece.ids) for piece in batch])
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
