"""Inspect: which layer of a model aligns which languages, which lag, and what the languages share. No training.

result = inspect.run(inspect.Config(models=("xlm-roberta-base",), data="ntrex", languages=("en", "de", "sw")))
result.frame()    # the common columns of studies/columns.py, and the revision of the model
"""

from isogloss.studies.inspect.config import Config, configure, demo
from isogloss.studies.study import Study

__all__ = ["STUDY", "Config", "configure", "demo", "run"]

STUDY = Study.of_folder(__name__, "Which layer aligns which languages, and what do they share?", Config)
run = STUDY.run
