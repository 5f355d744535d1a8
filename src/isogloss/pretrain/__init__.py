"""Pretraining with every factor a switch: vocabularies, masking, code-switching, sharing, the MLM loop (Wu20)."""

from isogloss.front_door import make_callable
from isogloss.pretrain.folders import encoder_folder
from isogloss.pretrain.recipe import Recipe
from isogloss.pretrain.run import Pretrained, pretrain

__all__ = ["Pretrained", "Recipe", "encoder_folder", "pretrain"]

make_callable(__name__)  # isogloss.pretrain("lab", data="lab:families") is the study
