"""Pretraining with every factor a switch: vocabularies, masking, code-switching, sharing, the MLM loop (Wu20)."""

from typing import TYPE_CHECKING

from isogloss.front_door import make_callable
from isogloss.lazy import on_first_use

if TYPE_CHECKING:
    from isogloss.pretrain.folders import encoder_folder
    from isogloss.pretrain.pretrained import Pretrained
    from isogloss.pretrain.recipe import Recipe
    from isogloss.pretrain.run import pretrain

__all__ = ["Pretrained", "Recipe", "encoder_folder", "pretrain"]

__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "folders": ("encoder_folder",),
        "recipe": ("Recipe",),
        "pretrained": ("Pretrained",),
        "run": ("pretrain",),
    },
)

make_callable(__name__)  # isogloss.pretrain("lab", data="lab:families") is the study
