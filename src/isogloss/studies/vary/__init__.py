"""Vary: what does one knob of the lab do to how languages meet? Pretrains at every value of every knob and compares.

result = vary.run(vary.configure("lab:twins", ["anchors=0,0.1,0.3", "word_order=same,mixed"], seeds=(0, 1, 2)))
result.frame()   # the common columns of studies/columns.py; condition is the setting of the knobs
"""

from isogloss.studies.study import Study
from isogloss.studies.vary.config import Config, configure

__all__ = ["STUDY", "Config", "configure", "run"]

STUDY = Study.of_folder(__name__, "What does a knob of the lab do to how languages align in one encoder?", Config)
run = STUDY.run
