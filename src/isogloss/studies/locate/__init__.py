"""Locate: in which dimensions and layers of an encoder is the identity of a language stored? (Liang21)

result = locate.run(locate.Config(model="xlm-roberta-base", data="ntrex", languages=("en", "de", "nl", "sw")))
result.frame()    # the common columns of studies/columns.py; side, subset, kind, x, draw, item, chance, revision
"""

from isogloss.studies.locate.config import Config, Profile, configure, demo
from isogloss.studies.study import Study

__all__ = ["STUDY", "Config", "Profile", "configure", "demo", "run"]

STUDY = Study.of_folder(__name__, "In which dimensions and layers is the identity of a language stored?", Config)
run = STUDY.run
