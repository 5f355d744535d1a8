"""The stack of blocks inside any model, and a forward pass that hands out the layers asked for and stops there.

Layer i < L is the input of block i (so layer 0 is the embedding output); layer L is the model's last hidden state,
after the final normalisation where there is one. This is what ``output_hidden_states`` returns, in every family.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from isogloss.errors import IsoglossError

Receive = Callable[[int, Tensor], None]  # a layer's number and its states, batch x time x d

# Families whose blocks are not one list of modules: the list whose members take the hidden state of each layer.
_ENTRANCES = {"xlm": "attentions", "flaubert": "attentions"}


@dataclass(frozen=True, eq=False)
class Stack:
    """A model whose forward pass can be tapped."""

    model: Any  # a transformers PreTrainedModel
    entrances: tuple[nn.Module, ...]  # called once a layer, with the hidden state as the first argument
    depth: int  # how many layers there are above the embedding
    width: int
    causal: bool  # a decoder: tokens see only what stands before them

    def forward(self, inputs: Mapping[str, Tensor], layers: tuple[int, ...], receive: Receive) -> None:
        """Run the model as far as the highest of ``layers`` and hand each of them to ``receive``, lowest first."""
        wanted, highest = frozenset(layers), max(layers)
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
    entrances = find_entrances(reader, config.model_type)
    depth = len(entrances) if len(entrances) > 1 else int(getattr(config, "num_hidden_layers", len(entrances)))
    return Stack(reader, tuple(entrances), depth, int(config.hidden_size), is_causal(config))


def is_causal(config: Any) -> bool:
    """Whether a model of this kind reads left to right only."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES as CAUSAL
    from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES as MASKED

    if config.is_encoder_decoder or getattr(config, "use_bidirectional_attention", False):
        return False
    only_causal = config.model_type in CAUSAL and config.model_type not in MASKED
    return only_causal or bool(getattr(config, "is_decoder", False) or getattr(config, "causal", False))


def text_reader(model: Any) -> Any:
    """The part of ``model`` that reads text: the encoder of an encoder-decoder, the text half of a multimodal model."""
    if getattr(model.config, "is_encoder_decoder", False):
        return model.get_encoder()
    return getattr(model, "language_model", model)


def find_entrances(reader: nn.Module, model_type: str) -> list[nn.Module]:
    """The modules called once a layer with the hidden state: the heaviest list of modules that is in no other list."""
    if named := _ENTRANCES.get(model_type):
        return list(getattr(reader, named))
    lists = _outer_lists(reader)
    if not lists:
        raise IsoglossError(
            f"no stack of layers was found in a {type(reader).__name__}",
            remedy="name a transformer encoder, decoder or encoder-decoder of the transformers library",
        )
    sizes = [sum(parameter.numel() for parameter in modules.parameters()) for modules in lists]
    return list(lists[sizes.index(max(sizes))])


def _outer_lists(module: nn.Module) -> list[nn.ModuleList]:
    """All ModuleLists below ``module`` that are not inside another ModuleList."""
    found: list[nn.ModuleList] = []
    for child in module.children():
        if isinstance(child, nn.ModuleList):
            found.append(child)
        else:
            found.extend(_outer_lists(child))
    return found


def names_of_layers(depth: int) -> list[str]:
    """``['embedding', 'layer 1', ..., 'layer L']``."""
    return ["embedding", *(f"layer {number}" for number in range(1, depth + 1))]


def choose_layers(layers: object, depth: int) -> tuple[int, ...]:
    """Layer numbers out of ``"all"``, ``"last"``, a number or several; negative ones count from the top."""
    if layers == "all":
        return tuple(range(depth + 1))
    if layers == "last":
        return (depth,)
    asked = [layers] if isinstance(layers, int) else list(layers) if isinstance(layers, (list, tuple, range)) else None
    if not asked or not all(isinstance(number, int) and not isinstance(number, bool) for number in asked):
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
