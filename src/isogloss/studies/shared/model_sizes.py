"""How large models are, before they are opened by a cell or even trained: for estimates of disk and memory."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from isogloss.pretrain import Recipe
from isogloss.pretrain.lab_encoder import LabEncoder
from isogloss.studies.shared.models import Checkpoint, Untrained
from isogloss.studies.shared.opened import OpenedModel
from isogloss.studies.shared.pretraining import Apart, Pretraining

FLOAT = 4  # bytes
Sizes = Mapping[Checkpoint, OpenedModel]


@dataclass(frozen=True)
class Shape:
    """What the size of a model and of its states follow from."""

    parameters: int
    columns: int
    width: int

    @property
    def weights(self) -> int:
        """Bytes."""
        return FLOAT * self.parameters


def shape_of(model: Any, opened: Sizes) -> Shape | None:
    """The shape of a model that was opened or is planned; None where it is not known."""
    if isinstance(model, Untrained):
        return shape_of(model.twin, opened)
    if isinstance(model, Apart):
        parts = [part for part in (shape_of(one, opened) for one in model.parts) if part is not None]
        return Shape(sum(one.parameters for one in parts), parts[0].columns, parts[0].width) if parts else None
    if isinstance(model, LabEncoder):
        return _planned(model.recipe, 1)
    if isinstance(model, Pretraining):
        return _planned(model.recipe, len(model.texts))
    found = opened.get(model) if isinstance(model, Checkpoint) else None
    return Shape(found.parameters, len(found.columns), found.width) if found else None


def _planned(recipe: Recipe, languages: int) -> Shape | None:
    """Embeddings (per language where they are separate), positions, and attention and feed-forward of each layer."""
    model = recipe.model
    if model.start is not None:
        return None
    tables = languages if recipe.sharing.embeddings == "separate" else 1
    embeddings = (recipe.vocabulary.entries(languages) + recipe.data.length) * model.width
    layer = 4 * model.width**2 + 2 * model.width * model.feedforward
    return Shape(tables * embeddings + model.layers * layer, model.layers + 1, model.width)
