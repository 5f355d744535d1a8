"""Fuse: does fusing a lower layer with the last one transfer better, and would one have known which (Chen22)?

result = fuse.run(fuse.Config(models=("bert-base-multilingual-cased",), tasks=(fuse.Setup("pos", ...),), source="en"))
result.frame()    # the common columns of studies/columns.py (layer: the fused one), and side, group, gate, branches
"""

from isogloss.studies.fuse.config import Config, configure, demo
from isogloss.studies.shared.setups import Setup
from isogloss.studies.study import Study

__all__ = ["STUDY", "Config", "Setup", "configure", "demo", "run"]

STUDY = Study.of_folder(__name__, "Does fusing a lower layer with the last one improve transfer?", Config)
run = STUDY.run
