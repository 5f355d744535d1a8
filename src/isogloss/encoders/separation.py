"""Layers of which each language has its own: a module that passes on to the copy of the language being read."""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, TypeVar

from torch import nn

from isogloss.errors import IsoglossError, unknown_name

Model = TypeVar("Model", bound=nn.Module)


class Separated(nn.Module):
    """One copy of a module a language; a batch goes through that of the language being spoken."""

    def __init__(self, module: nn.Module, languages: tuple[str, ...]) -> None:
        super().__init__()
        self.languages = languages
        # numbered, as codes may hold what module names may not; no ModuleList, which is how stacks of layers are found
        self.copies = nn.ModuleDict(
            {str(place): deepcopy(module) if place else module for place in range(len(languages))}
        )
        self.spoken: str | None = None

    def of(self, language: str) -> nn.Module:
        """The copy of ``language``."""
        if language not in self.languages:
            raise unknown_name("language", language, self.languages, where="separate layers")
        return self.copies[str(self.languages.index(language))]

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Pass on to the copy of the language being spoken."""
        if self.spoken is None:
            raise IsoglossError(
                "this model has separate layers per language, and no language was given",
                remedy="run it inside: with speaking(model, language)",
            )
        return self.of(self.spoken)(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        """What the model's own code reads off a block (``attention_type``, ``weight``) is the copy's."""
        try:
            return super().__getattr__(name)
        except AttributeError:
            present = self.__dict__.get("spoken") or self.__dict__["languages"][0]
            return getattr(self.of(present), name)


@contextmanager
def speaking(model: nn.Module, language: str) -> Iterator[None]:
    """Inside, every separated layer of ``model`` is the one of ``language``."""
    parts = separated_parts(model)
    before = [part.spoken for part in parts.values()]
    for part in parts.values():
        part.of(language)
        part.spoken = language
    try:
        yield
    finally:
        for part, spoken in zip(parts.values(), before, strict=True):
            part.spoken = spoken


def spoken_only(model: Model, language: str) -> Model:
    """A copy of ``model`` with the layers of ``language`` alone: an ordinary model, that can be saved and opened."""
    changed = deepcopy(model)
    for name, part in separated_parts(changed).items():
        put_module(changed, name, part.of(language))
    return changed


def separated_parts(model: nn.Module) -> dict[str, Separated]:
    """The separated layers of ``model`` by name."""
    return {name: module for name, module in model.named_modules() if isinstance(module, Separated)}


def put_module(parent: nn.Module, name: str, module: nn.Module) -> None:
    """Put ``module`` in the place that ``name`` (with dots) names below ``parent``."""
    above, _, last = name.rpartition(".")
    holder = parent.get_submodule(above)
    if isinstance(holder, nn.ModuleList):
        holder[int(last)] = module
    else:
        setattr(holder, last, module)
