"""Changes to a model as values: each is a small record, and applying it leaves the given model as it was.

Layers are numbered as hidden states are: 0 is the embedding, layer i the block that computes hidden state i.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from torch import nn

from isogloss.encoders.anatomy import block_lists, layer_modules, layer_parameters, text_reader
from isogloss.encoders.separation import Separated, put_module
from isogloss.errors import IsoglossError

Model = TypeVar("Model", bound=nn.Module)


@dataclass(frozen=True)
class Reinitialise:
    """Re-initialise layers with the model's own initialiser (Muller21's RANDOM-INIT); the same seed, the same draw."""

    layers: tuple[int, ...]
    seed: int = 0

    def apply(self, model: Model) -> Model:
        """A copy of ``model`` with these layers re-initialised. The global random state is left alone."""
        changed = deepcopy(model)
        with _seeded(changed, self.seed):
            for layer in sorted(set(self.layers)):
                for module in layer_modules(changed, layer).values():
                    _forget_initialised(module)
                    module.apply(text_reader(changed)._init_weights)
        return changed


@dataclass(frozen=True)
class Freeze:
    """Keep layers from being trained."""

    layers: tuple[int, ...]

    def apply(self, model: Model) -> Model:
        """A copy of ``model`` in which the layers' parameters ask for no gradient."""
        changed = deepcopy(model)
        for parameter in layer_parameters(changed, self.layers).values():
            parameter.requires_grad_(False)
        return changed


@dataclass(frozen=True)
class Truncate:
    """Keep the lowest ``layers`` layers; a final normalisation, where there is one, stays the final one."""

    layers: int

    def apply(self, model: Model) -> Model:
        """A shallower copy of ``model``; saved, it opens as any other."""
        changed = deepcopy(model)
        reader = text_reader(changed)
        lists = block_lists(reader)
        if not 1 <= self.layers <= len(lists[0]):
            raise IsoglossError(
                f"cannot keep {self.layers} layers",
                where="Truncate",
                remedy=f"this model has 1 to {len(lists[0])} of them",
            )
        for entries in lists:
            del entries[self.layers :]
        if hasattr(reader, "n_layers"):  # XLM counts them itself
            reader.n_layers = self.layers
        _shorten(changed.config, self.layers)
        _shorten(reader.config, self.layers)
        return changed


@dataclass(frozen=True)
class Separate:
    """Give each language layers of its own, all starting as copies of the model's (Wu20's separate parameters)."""

    layers: tuple[int, ...]
    languages: tuple[str, ...]

    def apply(self, model: Model) -> Model:
        """A copy of ``model`` that is told its language by ``speaking(model, language)``."""
        if len(set(self.languages)) != len(self.languages) or not self.languages:
            raise IsoglossError(
                f"languages {self.languages} are not distinct", where="Separate", remedy="name each one once"
            )
        changed = deepcopy(model)
        reader = text_reader(changed)
        for layer in sorted(set(self.layers)):
            for name, module in layer_modules(changed, layer).items():
                put_module(reader, name, Separated(module, self.languages))
        return changed


def _shorten(whole: Any, layers: int) -> None:
    config = whole.get_text_config()
    config.num_hidden_layers = layers  # each family's config keeps it under a name of its own
    if getattr(config, "layer_types", None) is not None:
        config.layer_types = list(config.layer_types[:layers])


def _forget_initialised(module: nn.Module) -> None:
    """Take off the marks by which transformers skips what it has initialised or loaded before."""
    for part in (*module.modules(), *module.parameters(), *module.buffers()):
        if hasattr(part, "_is_hf_initialized"):
            del part._is_hf_initialized


@contextmanager
def _seeded(model: nn.Module, seed: int) -> Iterator[None]:
    """Random draws follow ``seed`` inside, and the global generators are as before afterwards."""
    devices = sorted({parameter.device.index or 0 for parameter in model.parameters() if parameter.is_cuda})
    with torch.random.fork_rng(devices=devices), torch.no_grad():
        torch.manual_seed(seed)
        yield
