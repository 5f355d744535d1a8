"""Public names of a package that are imported when first used (PEP 562), so that ``import isogloss`` stays quick."""

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def on_first_use(
    package: str, names: Mapping[str, Iterable[str]], folders: Iterable[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of ``package``: its public ``names`` by submodule, and submodules themselves.

    A name must not be that of a submodule too: whoever imports the submodule would put it in the name's place.
    """
    homes = {name: f"{package}.{module}" for module, given in names.items() for name in given}
    submodules = set(folders)

    def get_attribute(name: str) -> Any:
        if name in homes:
            return getattr(import_module(homes[name]), name)
        if name in submodules:
            return import_module(f"{package}.{name}")
        raise AttributeError(f"module '{package}' has no attribute '{name}'")

    def list_names() -> list[str]:
        return sorted({*homes, *submodules})

    return get_attribute, list_names
