"""Encoders that were pretrained for a study, and layers of theirs that do no work: said above everything else."""

from collections.abc import Iterable
from typing import Any

from isogloss.pretrain.lab_encoder import LabEncoder
from isogloss.runs import Cell
from isogloss.studies.result import Finding
from isogloss.studies.shared.pretraining import Pretraining

SHOWN = 3  # complaints in full; the others are counted
OF_A_LAYER = "layer "  # how the complaints of ``pretrain.health`` begin; those of the vocabulary begin with a share


def pretrained_among(cells: Iterable[Cell[Any]]) -> tuple[Cell[Any], ...]:
    """The encoders that these cells pretrain, each with a record that has ``warnings``."""
    return tuple(cell for cell in cells if isinstance(cell, LabEncoder | Pretraining))


def unsound_layers(warnings: Iterable[tuple[str, Iterable[str]]]) -> tuple[Finding, ...]:
    """One warning for all encoders (label and what each said of itself) with an idle layer or a stream that blew up."""
    found = [(label, [text for text in said if text.startswith(OF_A_LAYER)]) for label, said in warnings]
    bad = [(label, texts) for label, texts in found if texts]
    if not bad:
        return ()
    parts = [text.partition("): ") for _, texts in bad for text in texts]
    labels = [label for label, texts in bad for _ in texts]
    shown = [f"{label}: {what})" for label, (what, _, _) in zip(labels[:SHOWN], parts, strict=False)]
    more = f"; and {len(parts) - SHOWN} more" if len(parts) > SHOWN else ""
    count = "The encoder pretrained here has" if len(found) == 1 else f"{len(bad)} of {len(found)} encoders have"
    text = f"{count} layers that do not work as they should ({'; '.join(shown)}{more}). What is measured in such layers"
    return (Finding(f"{text} means little. To fix it, {parts[0][2]}.", warning=True),)
