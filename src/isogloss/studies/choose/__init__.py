"""Choose: which model, and which layer of it, for my languages? Nothing is trained.

result = choose.run(choose.Config(models=("A", "B"), data="mine.csv", languages=("de", "fi", "sw")))
"""

from isogloss.studies.choose.config import Config, configure, demo
from isogloss.studies.study import Study

__all__ = ["STUDY", "Config", "configure", "demo", "run"]

STUDY = Study.of_folder(__name__, "Which model, and which layer of it, for my languages?", Config)
run = STUDY.run
