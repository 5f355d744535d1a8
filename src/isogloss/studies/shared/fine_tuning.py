"""Which preset of fine-tunings a model gets: the one place that decides it, for every study and command."""

from pathlib import Path

from isogloss.corpora.labdata import is_lab
from isogloss.pretrain import Recipe
from isogloss.pretrain.folders import Folders
from isogloss.studies.shared.lab_encoder import LabEncoder
from isogloss.studies.shared.models import Checkpoint, Model, Untrained
from isogloss.studies.shared.pretraining import Apart, Pretraining

LAB, REAL = "lab", "xtreme"


def preset_for(model: Model, asked: str = "") -> str:
    """``asked``, or else the lab's preset for the lab's own small encoders and XTREME's for all others.

    The lab's rates are some fifty times the papers': they would ruin a model of ordinary size.
    """
    return asked or (LAB if is_lab_model(model) else REAL)


def preset_for_text(text: str, asked: str = "") -> str:
    """The same for encoders that a study pretrains itself on ``text``."""
    return asked or (LAB if is_lab(text) else REAL)


def is_lab_model(model: Model) -> bool:
    """Whether a model is one of the lab's: pretrained on constructed languages, or a folder of the lab's architecture
    that ``isogloss pretrain`` wrote."""
    if isinstance(model, Untrained):
        return is_lab_model(model.twin)
    if isinstance(model, Apart):
        return all(is_lab_model(part) for part in model.parts)
    if isinstance(model, Pretraining):
        return all(is_lab(text.name) for text in model.texts)
    if isinstance(model, Checkpoint):
        recipe = Folders(Path(model.name)).recipe
        return recipe.is_file() and Recipe.load(recipe).model == Recipe.preset(LAB).model
    return isinstance(model, LabEncoder)
