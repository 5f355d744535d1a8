"""Inspect: which layer of a model aligns which languages, which lag, and what the languages share. No training.

result = inspect.run(inspect.Config(models=("xlm-roberta-base",), data="ntrex", languages=("en", "de", "sw")))
result.frame()    # model, revision, layer, source, target, measure, value, low, high, n
"""

from isogloss.studies.inspect.answer import QUESTION, summarise
from isogloss.studies.inspect.cells import Config, plan
from isogloss.studies.old_study import old_study

__all__ = ["STUDY", "Config", "run"]

STUDY = old_study(name="inspect", question=QUESTION, config=Config, plan=plan, summarise=summarise)
run = STUDY.run
