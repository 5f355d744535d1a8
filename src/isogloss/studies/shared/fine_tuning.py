"""Which preset of fine-tunings a model gets: the one place that decides it, for every study and command."""

from pathlib import Path

from isogloss.corpora.labdata import is_lab
from isogloss.pretrain import Recipe
from isogloss.pretrain.folders import Folders
from isogloss.pretrain.lab_encoder import LabEncoder
from isogloss.studies.shared.models import Checkpoint, Model, Untrained
from isogloss.studies.shared.pretraining import Apart, Pretraining

LAB, REAL = "lab", "xtreme"


def preset_for(model: Model, asked: str = "") -> str:
    """``asked``, or else the lab's preset for the lab's own small encoders and XTREME's for all others.

    The lab's rates are some fifty times the papers': they would ruin a model of ordinary size.
    """
    return asked or (LAB if is_lab_model(model) else REAL)


def is_lab_model(model: Model) -> bool:
    """Whether a model is one of the lab's: pretrained on constructed languages, or as small as the lab's own encoder
    and pretrained with ``isogloss`` (a folder of such a model has its recipe)."""
    if isinstance(model, Untrained):
        return is_lab_model(model.twin)
    if isinstance(model, Apart):
        return all(is_lab_model(part) for part in model.parts)
    if isinstance(model, Pretraining):
        return all(is_lab(text.name) for text in model.texts) or _is_small(model.recipe)
    if isinstance(model, Checkpoint):
        recipe = Folders(Path(model.name)).recipe
        return recipe.is_file() and _is_small(Recipe.load(recipe))
    return isinstance(model, LabEncoder)


def _is_small(recipe: Recipe) -> bool:
    return recipe.model.width <= Recipe.preset(LAB).model.width
