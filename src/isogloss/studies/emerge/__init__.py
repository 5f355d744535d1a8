"""Emerge: what makes languages meet inside one encoder (Wu20 Table 1, Fig. 3)?

result = emerge.run(emerge.Config(pairs=(emerge.Pair("en", "fr"),), text="wiki", other_text="cc", recipe="laptop", ...))
result.frame()   # the common columns of studies/columns.py, and side (home, abroad), pair, pool
"""

from isogloss.studies.emerge.config import Config, Pair, configure, demo
from isogloss.studies.shared.setups import Setup
from isogloss.studies.study import Study

__all__ = ["STUDY", "Config", "Pair", "Setup", "configure", "demo", "run"]

STUDY = Study.of_folder(
    __name__, "What makes languages align in one encoder: text, vocabulary, shared parameters or relatedness?", Config
)
run = STUDY.run
