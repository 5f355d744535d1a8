"""Isogloss: where languages part and meet inside multilingual encoders.

The public names are loaded when first used, so that ``import isogloss`` and ``isogloss --help`` stay instant.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from isogloss.errors import IsoglossError

if TYPE_CHECKING:
    from isogloss.corpora import load_corpus
    from isogloss.encoders import Encoder

__version__ = "0.1.0"
__all__ = ["Encoder", "IsoglossError", "__version__", "load_corpus"]

_HOMES = {"Encoder": "isogloss.encoders", "load_corpus": "isogloss.corpora"}
_FOLDERS = {
    "corpora",
    "encoders",
    "geometry",
    "pretrain",
    "probes",
    "report",
    "runs",
    "studies",
    "tasks",
    "transfer",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _FOLDERS:
        return import_module(f"isogloss.{name}")
    raise AttributeError(f"module 'isogloss' has no attribute '{name}'")
