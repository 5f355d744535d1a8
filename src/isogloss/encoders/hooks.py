"""Hooks that are gone when the block ends, whatever happened in it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from torch import nn

Hook = Callable[[nn.Module, tuple[Any, ...], Any], Any]
PreHook = Callable[[nn.Module, tuple[Any, ...]], Any]


@contextmanager
def hooked(
    after: Sequence[tuple[nn.Module, Hook]] = (), before: Sequence[tuple[nn.Module, PreHook]] = ()
) -> Iterator[None]:
    """Call each hook after (or before) its module, inside the block only."""
    handles = [module.register_forward_hook(hook) for module, hook in after]
    handles += [module.register_forward_pre_hook(hook) for module, hook in before]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
