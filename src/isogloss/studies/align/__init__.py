"""Align: can encoders trained apart, with nothing in common, be aligned afterwards (Wu20 section 5)?

result = align.run(align.Config(source="en", targets=("fr",), models={"en": "./bert-en", "fr": "./bert-fr"}, ...))
result.frame()    # the common columns of studies/columns.py, and side, level, what, size
"""

from isogloss.studies.align.config import Config, configure, demo
from isogloss.studies.shared.setups import Setup
from isogloss.studies.study import Study

__all__ = ["STUDY", "Config", "Setup", "configure", "demo", "run"]

STUDY = Study.of_folder(__name__, "Can separately trained encoders be aligned?", Config)
run = STUDY.run
