"""Which modules and parameters make up each layer of a model, in every family."""

from typing import Any

from torch import nn

from isogloss.errors import IsoglossError

# Families whose layers are spread over several lists of modules, side by side; the first list takes the hidden state.
_SIDE_BY_SIDE = {"xlm": ("attentions", "layer_norm1", "ffns", "layer_norm2")}

LIKE_BERT = {"bert", "camembert", "electra", "roberta", "xlm-roberta"}  # families whose layers are BERT's
WITHIN = (
    "attention.self.query", "attention.self.key", "attention.self.value",
    "attention.output.dense", "intermediate.dense", "output.dense",
)  # fmt: skip  # the products of such a layer


def text_reader(model: Any) -> Any:
    """The part of ``model`` that reads text, heads left out: the encoder of an encoder-decoder, the text half of a
    multimodal model."""
    base = model.base_model
    if getattr(model.config, "is_encoder_decoder", False):
        return base.get_encoder()
    return getattr(base, "language_model", base)


def block_lists(reader: Any) -> list[nn.ModuleList]:
    """Lists of modules whose i-th entries together compute layer i + 1.

    Outside the families named above there is one: the heaviest list that is not inside another.
    """
    if names := _SIDE_BY_SIDE.get(reader.config.model_type):
        return [getattr(reader, name) for name in names]
    lists = _outer_lists(reader)
    if not lists:
        raise IsoglossError(
            f"no stack of layers was found in a {type(reader).__name__}",
            remedy="name a transformer encoder, decoder or encoder-decoder of the transformers library",
        )
    sizes = [sum(parameter.numel() for parameter in modules.parameters()) for modules in lists]
    return [lists[sizes.index(max(sizes))]]


def embedding_modules(reader: nn.Module) -> dict[str, nn.Module]:
    """The outermost modules that make layer 0 out of token numbers, by their names below ``reader``."""
    found: dict[str, nn.Module] = {}
    for name, child in reader.named_children():
        if isinstance(child, nn.ModuleList) or "rotary" in name:
            continue
        if "emb" in name and not name.startswith("rel"):  # DeBERTa's relative positions belong to all layers
            found[name] = child
        else:
            found |= {f"{name}.{inner}": module for inner, module in embedding_modules(child).items()}
    return {name: module for name, module in found.items() if any(True for _ in module.parameters())}


def layer_modules(model: Any, layer: int) -> dict[str, nn.Module]:
    """The modules of a layer (0 is the embedding) by their names below the model's reader."""
    reader = text_reader(model)
    if layer == 0:
        return embedding_modules(reader)
    lists = block_lists(reader)
    if not 1 <= layer <= len(lists[0]):
        raise IsoglossError(
            f"there is no layer {layer}",
            where="layers",
            remedy=f"this model has layers 0 (the embedding) to {len(lists[0])}",
        )
    paths = {id(module): name for name, module in reader.named_modules(remove_duplicate=False)}
    modules = [entries[layer - 1] for entries in lists]
    conv = getattr(getattr(reader, "encoder", None), "conv", None)
    if layer == 1 and conv is not None:  # DeBERTa's convolution is added to the first layer only
        modules.append(conv)
    return {paths[id(module)]: module for module in modules}


def layer_parameters(model: Any, layers: tuple[int, ...]) -> dict[str, nn.Parameter]:
    """The parameters of these layers by their names in ``model``."""
    inside = {
        id(parameter)
        for layer in layers
        for module in layer_modules(model, layer).values()
        for parameter in module.parameters()
    }
    return {name: parameter for name, parameter in model.named_parameters() if id(parameter) in inside}


def _outer_lists(module: nn.Module) -> list[nn.ModuleList]:
    found: list[nn.ModuleList] = []
    for child in module.children():
        if isinstance(child, nn.ModuleList):
            found.append(child)
        else:
            found.extend(_outer_lists(child))
    return found
