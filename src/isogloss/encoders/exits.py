"""What a model does after its last block: nothing, a final normalisation, a projection."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from isogloss.encoders.anatomy import block_lists
from isogloss.encoders.hooks import hooked
from isogloss.encoders.layers import Stack, evaluating
from isogloss.errors import IsoglossError


@dataclass(frozen=True, eq=False)
class Exit:
    """The modules between the last block and the last hidden state, in their order; none in post-norm models."""

    modules: tuple[nn.Module, ...]

    def __call__(self, states: Tensor) -> Tensor:
        for module in self.modules:
            states = module(states)
        return states


def find_exit(stack: Stack) -> Exit:
    """The modules that run after the last block, checked against the model's own last hidden state."""
    lists = block_lists(stack.model)
    inside = {id(module) for blocks in lists for block in blocks for module in block.modules()}
    raw: list[Tensor] = []
    after: list[nn.Module] = []
    names = {id(module): name for name, module in stack.model.named_modules()}

    def note_raw(_module: nn.Module, _args: tuple[Any, ...], output: Any) -> None:
        raw.append(output[0] if isinstance(output, tuple) else output)

    def note(module: nn.Module, _args: tuple[Any, ...]) -> None:
        within = any(names[id(module)].startswith(names[id(one)] + ".") for one in after)
        if raw and not within:
            after.append(module)

    others = [module for module in stack.model.modules() if id(module) not in inside and module is not stack.model]
    ids = torch.arange(1, 6, device=next(stack.model.parameters()).device)[None]
    with torch.no_grad(), evaluating(stack.model):
        with hooked([(blocks[-1], note_raw) for blocks in lists], [(module, note) for module in others]):
            final = stack.model(input_ids=ids).last_hidden_state
        found = Exit(tuple(module for module in after if "pooler" not in names[id(module)]))
        if not torch.allclose(found(raw[-1]), final, rtol=1e-3, atol=1e-4 * float(final.abs().max())):
            raise IsoglossError(
                f"the layers after the last block of a {type(stack.model).__name__} are not supported",
                remedy="name another model",
            )
    return found
