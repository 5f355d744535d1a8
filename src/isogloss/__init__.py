"""Isogloss: where languages part and meet inside multilingual encoders.

    import isogloss

    result = isogloss.inspect("xlm-roberta-base", data="ntrex", languages=["en", "de"])
    result.findings, result.tables, result.figures, result.frame()

The public names are loaded when first used, so that ``import isogloss`` and ``isogloss --help`` stay instant.
"""

from typing import TYPE_CHECKING

from isogloss.errors import IsoglossError
from isogloss.lazy import on_first_use

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

__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "corpora": ("load_corpus",),
        "encoders": ("Encoder",),
        "front_door": (
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
            "load_result",
            "load_results",
            "locate",
            "predict",
            "preserve",
            "run_study",
            "think",
            "vary",
        ),
        "plugins": ("load_plugin",),
    },
    folders=("corpora", "encoders", "geometry", "pretrain", "probes", "report", "runs", "studies", "tasks", "transfer"),
)
