"""The stack of blocks inside any model, and a forward pass that hands out the layers asked for and stops there.

Layer i < L is the input of block i (so layer 0 is the embedding output); layer L is the model's last hidden state,
after the final normalisation where there is one. This is what ``output_hidden_states`` returns, in every family.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import torch
from torch import Tensor, nn

from isogloss.encoders.anatomy import block_lists, text_reader
from isogloss.encoders.fast_layers import read_directly, reads_directly
from isogloss.errors import IsoglossError

Receive = Callable[[int, Tensor], None]  # a layer's number and its states, batch x time x d

# Families compared with the library's own states by our tests; others are compared when they are opened.
_TESTED = {
    "bert", "distilbert", "roberta", "xlm-roberta", "camembert", "xlm", "electra", "deberta-v2", "modernbert", "gemma",
    "gemma2", "gemma3_text", "qwen2", "qwen3", "llama", "mistral", "t5", "mt5", "bart", "mbart", "marian",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Stack:
    """A model whose forward pass can be tapped."""

    model: Any  # a transformers PreTrainedModel
    entrances: nn.ModuleList | tuple[nn.Module, ...]  # each takes a layer's state; none: the model is asked for them
    depth: int  # how many layers there are above the embedding
    width: int
    causal: bool  # a decoder: tokens see only what stands before them

    @property
    def reads_packed(self) -> bool:
        """Whether every block takes sentences one after the other, without padding (``packed``)."""
        return bool(self.entrances) and all(getattr(block, "reads_packed", False) for block in self.entrances)

    def forward(self, inputs: Mapping[str, Tensor], layers: tuple[int, ...], receive: Receive) -> None:
        """Run the model as far as the highest of ``layers`` and hand each of them to ``receive``, lowest first."""
        if not self.entrances:
            states = self.model(**inputs, output_hidden_states=True).hidden_states
            for layer in sorted(set(layers)):
                receive(layer, states[layer])
            return
        wanted, highest = frozenset(layers), max(layers)
        if reads_directly(self.model, self.entrances, inputs):
            for layer, states in zip(
                range(highest + 1), read_directly(self.model, self.entrances, inputs), strict=False
            ):
                if layer in wanted:
                    receive(layer, states)
            return
        number = 0

        def tap(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            nonlocal number
            if number in wanted:
                receive(number, args[0] if args else kwargs["hidden_states"])
            if number == highest:
                raise _Enough
            number += 1

        handles = [entrance.register_forward_pre_hook(tap, with_kwargs=True) for entrance in self.entrances]
        try:
            output = self.model(**inputs)
        except _Enough:
            return
        finally:
            for handle in handles:
                handle.remove()
        receive(self.depth, output.last_hidden_state)


class _Enough(Exception):  # noqa: N818 - not an error: the highest layer asked for has been reached
    pass


def find_stack(model: Any) -> Stack:
    """Find the blocks of ``model``: of the encoder, where it has an encoder and a decoder."""
    reader = text_reader(model)
    config = reader.config.get_text_config()
    entrances = block_lists(reader)[0]
    depth = len(entrances) if len(entrances) > 1 else int(getattr(config, "num_hidden_layers", len(entrances)))
    width = getattr(config, "hidden_size", None)
    if not isinstance(width, int):
        raise IsoglossError(f"a {type(reader).__name__} has no hidden size", remedy="name a model that reads text")
    stack = Stack(reader, entrances, depth, width, is_causal(config))
    return stack if config.model_type in _TESTED else compare_stack(stack)


def compare_stack(stack: Stack) -> Stack:
    """``stack`` if its layers are the library's own hidden states, or else one that asks the model for them."""
    inputs = {"input_ids": torch.arange(1, 6, device=stack.model.device)[None]}
    ours: dict[int, Tensor] = {}
    with torch.no_grad(), evaluating(stack.model):
        theirs = _states_by_library(stack, inputs)
        if stack.depth == len(theirs) - 1:
            stack.forward(inputs, tuple(range(len(theirs))), ours.__setitem__)
    if len(ours) == len(theirs) and all(_same(ours[layer], state) for layer, state in enumerate(theirs)):
        return stack
    return replace(stack, entrances=(), depth=len(theirs) - 1)


def _states_by_library(stack: Stack, inputs: Mapping[str, Tensor]) -> tuple[Tensor, ...]:
    """Hidden states as the model itself gives them; refused where they are not one state a token and layer."""
    kind = type(stack.model).__name__
    remedy = "name a model that has one state for each token in each layer"
    try:
        states = tuple(stack.model(**inputs, output_hidden_states=True).hidden_states)
    except (AttributeError, RuntimeError, TypeError, ValueError) as error:
        raise IsoglossError(f"a {kind} does not read plain tokens: {error}", remedy=remedy) from error
    if any(state.shape != (*inputs["input_ids"].shape, stack.width) for state in states):
        raise IsoglossError(f"the layers of a {kind} differ in length or width", remedy=remedy)
    return states


def _same(ours: Tensor, theirs: Tensor) -> bool:
    return ours.shape == theirs.shape and torch.allclose(ours, theirs, rtol=1e-5, atol=1e-5)


def is_causal(config: Any) -> bool:
    """Whether a model of this kind reads left to right only: a decoder whose mask was not opened."""
    return is_decoder(config) and getattr(config, "is_causal", True) is not False


def is_decoder(config: Any) -> bool:
    """Whether a model of this kind is made to read left to right."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES as CAUSAL
    from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES as MASKED

    if config.is_encoder_decoder or getattr(config, "use_bidirectional_attention", False):
        return False
    only_causal = config.model_type in CAUSAL and config.model_type not in MASKED
    return only_causal or bool(getattr(config, "is_decoder", False) or getattr(config, "causal", False))


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Dropout off; afterwards every module is in the mode it was in."""
    training = [module for module in model.modules() if module.training]
    model.eval()
    try:
        yield
    finally:
        for module in training:
            module.training = True


def choose_columns(layers: object, depth: int, *, has_output: bool) -> tuple[tuple[int, ...], bool]:
    """Layer numbers, and whether a pipeline's output is wanted too.

    ``"columns"`` are all layers and the output where there is one; ``"output"`` is the output by itself.
    """
    if isinstance(layers, str) and layers == "columns":
        return tuple(range(depth + 1)), has_output
    if isinstance(layers, str) and layers == "output":
        if not has_output:
            raise IsoglossError(
                "this model has no output: it is not a sentence-transformers pipeline",
                where="layers",
                remedy="name a layer",
            )
        return (), True
    return choose_layers(layers, depth), False


def choose_layers(layers: object, depth: int) -> tuple[int, ...]:
    """Layer numbers out of ``"all"``, ``"last"``, a number or several; negative ones count from the top."""
    if isinstance(layers, str) and layers in {"all", "last"}:
        return tuple(range(depth + 1)) if layers == "all" else (depth,)
    several = list(layers) if isinstance(layers, Iterable) and not isinstance(layers, str) else [layers]
    asked = [int(number) for number in several if not isinstance(number, bool) and isinstance(number, Integral)]
    if not asked or len(asked) < len(several):
        raise IsoglossError(
            f"layers {layers!r} are not understood", remedy="give 'all', 'last', a number, or a list of numbers"
        )
    for number in asked:
        if not -depth - 1 <= number <= depth:
            raise IsoglossError(
                f"there is no layer {number}",
                where="layers",
                remedy=f"this model has layers 0 (the embedding) to {depth}",
            )
    return tuple(number % (depth + 1) for number in asked)
