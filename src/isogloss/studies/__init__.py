"""Studies: a question each, as a folder of the same rooms (docs/architecture.md); loaded when first named."""

from importlib import import_module
from typing import Any

from isogloss.studies.names import STUDIES

__all__ = [*STUDIES]  # noqa: PLE0604  (names of folders)


def __getattr__(name: str) -> Any:
    if name in STUDIES:
        return import_module(STUDIES[name])
    raise AttributeError(f"module 'isogloss.studies' has no attribute '{name}'")
