"""Transfer: fine-tune in one language, test in all; one trainer, and the papers' methods that plug into it."""

from typing import TYPE_CHECKING

from isogloss.front_door import make_callable
from isogloss.lazy import on_first_use

if TYPE_CHECKING:
    from isogloss.transfer import methods
    from isogloss.transfer.cells import FineTune, Named, TransferRecord, Tuned
    from isogloss.transfer.data import Data, find_data
    from isogloss.transfer.epochs import Epoch
    from isogloss.transfer.fitted import Fitted, Predicted
    from isogloss.transfer.identification import identify_languages
    from isogloss.transfer.identify_cell import Identify
    from isogloss.transfer.method import Method
    from isogloss.transfer.methods import parse_methods
    from isogloss.transfer.saving import load_fitted, save_fitted
    from isogloss.transfer.scores import Score, family_averages, score_frame, zero_shot_gap
    from isogloss.transfer.search import candidates
    from isogloss.transfer.settings import Settings
    from isogloss.transfer.trainer import Trainer

__all__ = [
    "Data",
    "Epoch",
    "FineTune",
    "Fitted",
    "Identify",
    "Method",
    "Named",
    "Predicted",
    "Score",
    "Settings",
    "Trainer",
    "TransferRecord",
    "Tuned",
    "candidates",
    "family_averages",
    "find_data",
    "identify_languages",
    "load_fitted",
    "methods",
    "parse_methods",
    "save_fitted",
    "score_frame",
    "zero_shot_gap",
]

__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "cells": ("FineTune", "Named", "TransferRecord", "Tuned"),
        "data": ("Data", "find_data"),
        "epochs": ("Epoch",),
        "fitted": ("Fitted", "Predicted"),
        "identification": ("identify_languages",),
        "identify_cell": ("Identify",),
        "method": ("Method",),
        "methods": ("parse_methods",),
        "saving": ("load_fitted", "save_fitted"),
        "scores": ("Score", "family_averages", "score_frame", "zero_shot_gap"),
        "search": ("candidates",),
        "settings": ("Settings",),
        "trainer": ("Trainer",),
    },
    folders=("methods",),
)

make_callable(__name__)
