"""Which parameters languages share (Wu20 §4.3). Each language's path is an ordinary transformers model of its own;
shared parameters are the same tensors in all of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from torch import nn

from isogloss.errors import IsoglossError
from isogloss.pretrain.folders import encoder_folder
from isogloss.pretrain.hardware import pick_attention
from isogloss.pretrain.model import build, layer_list
from isogloss.pretrain.recipe import Recipe, Sharing

if TYPE_CHECKING:  # opening transformers takes longer than most of what is done without it
    from transformers import PreTrainedModel

SHARED = "shared"


@dataclass(frozen=True)
class Paths:
    """A model a language; one and the same object where everything is shared."""

    by_language: "Mapping[str, PreTrainedModel]"
    own: frozenset[str]  # names of the parameters that every language has for itself

    def __getitem__(self, language: str) -> "PreTrainedModel":
        return self.by_language[language]

    @property
    def models(self) -> "list[PreTrainedModel]":
        """The distinct models."""
        return list({id(model): model for model in self.by_language.values()}.values())

    @property
    def apart(self) -> bool:
        """Whether languages have parameters of their own."""
        return bool(self.own)

    def named_parameters(self) -> Iterator[tuple[str, nn.Parameter]]:
        """Every parameter once: ``shared/<name>`` or ``<language>/<name>``."""
        seen: set[int] = set()
        for language, model in self.by_language.items():
            for name, parameter in model.named_parameters():
                if id(parameter) not in seen:
                    seen.add(id(parameter))
                    yield f"{language if name in self.own else SHARED}/{name}", parameter


def build_paths(recipe: Recipe, sizes: Mapping[str, int]) -> Paths:
    """The models of all languages (with the sizes of their vocabularies), the shared parameters tied together."""
    languages = list(sizes)
    first = _build(recipe, languages[0], sizes[languages[0]], recipe.seed)
    own = own_parameters(first, recipe.sharing)
    if not own:
        return Paths(dict.fromkeys(languages, first), own)
    models = {languages[0]: first}
    for number, language in enumerate(languages[1:], start=1):
        seed = recipe.seed + 7919 * number  # own parameters start apart
        models[language] = _build(recipe, language, sizes[language], seed)
        _tie(models[language], first, own)
    return Paths(models, own)


def _build(recipe: Recipe, language: str, size: int, seed: int) -> "PreTrainedModel":
    start = None if recipe.model.start is None else encoder_folder(Path(recipe.model.start), language)
    causal = recipe.objective == "causal"
    return build(recipe.model, size, recipe.data.length, seed, start, pick_attention(recipe), causal=causal)


def own_parameters(model: "PreTrainedModel", sharing: Sharing) -> frozenset[str]:
    """Names of the parameters a language has for itself. Embeddings come with positions and the output layer."""
    layers = layer_list(model)
    if sharing.separate_layers >= len(layers):
        raise IsoglossError(
            f"sharing.separate_layers is {sharing.separate_layers} of {len(layers)} layers: nothing would be shared",
            where="recipe",
            remedy="leave at least the top layer shared",
        )
    separate = [parameter for layer in layers[: sharing.separate_layers] for parameter in layer.parameters()]
    if sharing.embeddings == "separate":
        separate += [parameter for module in _embedding_modules(model) for parameter in module.parameters()]
    chosen = {id(parameter) for parameter in separate}
    return frozenset(
        name for name, parameter in model.named_parameters(remove_duplicate=False) if id(parameter) in chosen
    )


def _embedding_modules(model: "PreTrainedModel") -> list[nn.Module]:
    """What turns ids into vectors and vectors into logits over ids, whatever the architecture calls it."""
    words = model.get_input_embeddings()
    children = [
        child
        for name, child in model.base_model.named_children()
        if any(part is words for part in child.modules()) or "emb" in name or "position" in name
    ]
    output = model.get_output_embeddings()  # type: ignore[no-untyped-call]
    return children if output is None else [*children, output]


def _tie(model: "PreTrainedModel", first: "PreTrainedModel", own: frozenset[str]) -> None:
    """Put the first model's shared parameters into ``model``."""
    for name, parameter in first.named_parameters(remove_duplicate=False):
        if name not in own:
            parent, _, leaf = name.rpartition(".")
            setattr(model.get_submodule(parent), leaf, parameter)
