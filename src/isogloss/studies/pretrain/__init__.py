"""Pretrain: a multilingual encoder from plain text, every factor a switch of its recipe.

result = pretrain.run(pretrain.configure("lab", data="lab:families", settings={"vocabulary.scope": "marked"}))
result.frame()   # the common columns of studies/columns.py; target is the language
"""

from isogloss.studies.pretrain.config import Config, configure, demo
from isogloss.studies.study import Study

__all__ = ["STUDY", "Config", "configure", "demo", "run"]

STUDY = Study.of_folder(__name__, "What did the model learn of each language?", Config)
run = STUDY.run
