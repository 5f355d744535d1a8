"""The logit lens: what a model would say if it stopped at a lower layer (nostalgebraist 2020; Wendler et al. 2024).

The state of a layer goes through the final normalisation and the model's own head. Only the states of the asked-for
positions do so: the vocabulary is large, and a head on every position of every layer costs many times the model.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from isogloss.encoders.anatomy import block_lists
from isogloss.encoders.exits import find_exit
from isogloss.encoders.hooks import Hook, hooked
from isogloss.encoders.language_model import LanguageModel
from isogloss.encoders.layers import Stack, evaluating
from isogloss.errors import IsoglossError

Floats = NDArray[np.float64]
Asked = Mapping[str, Sequence[int]]  # token numbers by name
Pick = Callable[[Tensor], Tensor]  # takes some rows of a layer's states, batch x time x d
RIDGE = 1e-3  # of the mean variance of a layer's dimensions


@dataclass(frozen=True, eq=False)
class AffineLens:
    """An affine map a layer (0 to L - 1) onto the last block's output, learnt by ridge regression on plain text.

    The linear shortcut of Din et al. (2024): closed form, no training loop.
    """

    weights: tuple[Tensor, ...]  # d x d each
    biases: tuple[Tensor, ...]  # d each

    def __call__(self, layer: int, states: Tensor) -> Tensor:
        if layer == len(self.weights):
            return states
        return (states.float() @ self.weights[layer] + self.biases[layer]).to(states.dtype)


class Lens:
    """Reads every layer of a language model as if it were the last one."""

    def __init__(self, model: LanguageModel, affine: AffineLens | None = None) -> None:
        if not model.causal:
            raise IsoglossError(
                "the logit lens reads decoders, and this is an encoder", where=model.name, remedy="name a decoder"
            )
        if len(block_lists(model.stack.model)) > 1:
            raise IsoglossError(
                f"the logit lens cannot read a {type(model.stack.model).__name__}: its layers are spread over several "
                "lists of modules",
                where=model.name,
                remedy="name another decoder",
            )
        self.model, self.affine = model, affine
        self.exit = find_exit(model.stack)
        self.depth = model.stack.depth

    def log_probabilities(self, prompts: Sequence[str], wanted: Sequence[Asked]) -> list[dict[str, Floats]]:
        """The log-probability (layers 0 to L) that a prompt's last position gives to each name's tokens together.

        ``wanted`` has for each prompt the tokens of every name.
        """
        found = [{name: np.zeros(self.depth + 1) for name in names} for names in wanted]
        with torch.inference_mode(), evaluating(self.model.model):
            for numbers, states in self.states(prompts):
                places = [(number, layer) for number in numbers for layer in range(self.depth + 1)]
                for rows, logs in self.model.log_probabilities(states.flatten(0, 1)):
                    for (number, layer), line in zip(places[rows], logs, strict=True):
                        for name, ids in wanted[number].items():
                            found[number][name][layer] = float(line[list(ids)].logsumexp(0))
        return found

    def states(self, prompts: Sequence[str]) -> Iterator[tuple[tuple[int, ...], Tensor]]:
        """Batches of prompts: their numbers, and the normalised states (batch x layers x d) of their last tokens."""
        for batch in self.model.batches(prompts):
            last = batch.text.long().cumsum(1).argmax(1)  # the last of the text's own tokens
            yield batch.rows, self._read(batch.inputs, partial(_at, last))

    def _read(self, inputs: Mapping[str, Any], pick: Pick) -> Tensor:
        """States of all layers, picked, mapped and normalised."""
        raw = raw_states(self.model.stack, inputs, pick)
        mapped = [state if self.affine is None else self.affine(layer, state) for layer, state in enumerate(raw)]
        return torch.stack([self.exit(state) for state in mapped], dim=1)


def raw_states(stack: Stack, inputs: Mapping[str, Any], pick: Pick) -> list[Tensor]:
    """What ``pick`` takes of the stream before every block and after the last one, before the final normalisation."""
    states: list[Tensor] = []

    def entering(_module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        states.append(pick(args[0] if args else kwargs["hidden_states"]))

    def leaving(_module: nn.Module, _args: tuple[Any, ...], output: Any) -> None:
        states.append(pick(output[0] if isinstance(output, tuple) else output))

    blocks = block_lists(stack.model)[0]
    handles = [block.register_forward_pre_hook(entering, with_kwargs=True) for block in blocks]
    watch: list[tuple[nn.Module, Hook]] = [(blocks[-1], leaving)]
    try:
        with hooked(watch):
            stack.model(**inputs)
    finally:
        for handle in handles:
            handle.remove()
    return states


def _at(places: Tensor, states: Tensor) -> Tensor:
    """One position of every line (batch x d)."""
    return states[torch.arange(len(places), device=places.device), places]


def _of_text(text: Tensor, states: Tensor) -> Tensor:
    """The text's own tokens (tokens x d)."""
    return states[text].float()


def fit_affine_lens(model: LanguageModel, texts: Sequence[str], ridge: float = RIDGE) -> AffineLens:
    """Learn the affine lens on the tokens of ``texts``, in one pass: sums of products only, so memory stays flat."""
    depth, width = model.stack.depth, model.stack.width
    size = width + 1
    inner = torch.zeros(depth, size, size, dtype=torch.float64)
    outer = torch.zeros(depth, size, width, dtype=torch.float64)
    with torch.inference_mode(), evaluating(model.model):
        for batch in model.batches(texts):
            *lower, target = raw_states(model.stack, batch.inputs, partial(_of_text, batch.text))
            for layer, state in enumerate(lower):
                ones = torch.cat([state, state.new_ones(len(state), 1)], dim=1)
                inner[layer] += (ones.T @ ones).double().cpu()
                outer[layer] += (ones.T @ target).double().cpu()
    if float(inner[0, -1, -1]) == 0:
        raise IsoglossError("an affine lens needs some text", remedy="give at least a few hundred tokens")
    weights, biases = [], []
    for layer in range(depth):
        penalty = ridge * inner[layer].diagonal()[:-1].mean()
        held = inner[layer] + torch.diag(torch.cat([penalty.expand(width), torch.zeros(1, dtype=torch.float64)]))
        solved = torch.linalg.solve(held, outer[layer]).float().to(model.device)
        weights.append(solved[:-1])
        biases.append(solved[-1])
    return AffineLens(tuple(weights), tuple(biases))
