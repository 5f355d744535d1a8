"""Isogloss: where languages part and meet inside multilingual encoders.

    import isogloss

    result = isogloss.inspect("xlm-roberta-base", data="ntrex", languages=["en", "de"])
    result.findings, result.tables, result.figures, result.frame()

The public names are loaded when first used, so that ``import isogloss`` and ``isogloss --help`` stay instant.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from isogloss.errors import IsoglossError

if TYPE_CHECKING:
    from isogloss.corpora import load_corpus
    from isogloss.encoders import Encoder
    from isogloss.front_door import (
        ablate,
        align,
        audit,
        choose,
        emerge,
        forget,
        fuse,
        glance,
        inspect,
        list_data,
        list_studies,
        load_result,
        load_results,
        locate,
        predict,
        preserve,
        run_study,
        think,
        vary,
    )
    from isogloss.plugins import load_plugin

__version__ = "0.1.0"
_FRONT = "isogloss.front_door"
_HOMES = {
    "Encoder": "isogloss.encoders",
    "ablate": _FRONT,
    "align": _FRONT,
    "audit": _FRONT,
    "choose": _FRONT,
    "emerge": _FRONT,
    "forget": _FRONT,
    "fuse": _FRONT,
    "glance": _FRONT,
    "inspect": _FRONT,
    "list_data": _FRONT,
    "list_studies": _FRONT,
    "load_corpus": "isogloss.corpora",
    "load_plugin": "isogloss.plugins",
    "load_result": _FRONT,
    "load_results": _FRONT,
    "locate": _FRONT,
    "predict": _FRONT,
    "preserve": _FRONT,
    "run_study": _FRONT,
    "think": _FRONT,
    "vary": _FRONT,
}
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
__all__ = [
    "Encoder",
    "IsoglossError",
    "__version__",
    "ablate",
    "align",
    "audit",
    "choose",
    "emerge",
    "forget",
    "fuse",
    "glance",
    "inspect",
    "list_data",
    "list_studies",
    "load_corpus",
    "load_plugin",
    "load_result",
    "load_results",
    "locate",
    "predict",
    "preserve",
    "run_study",
    "think",
    "vary",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _FOLDERS:
        return import_module(f"isogloss.{name}")
    raise AttributeError(f"module 'isogloss' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*__all__, *_FOLDERS})
