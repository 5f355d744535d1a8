"""Locate: in which dimensions and layers of an encoder is the identity of a language stored? (Liang21)

result = locate.run(locate.Config(model="xlm-roberta-base", data="ntrex", languages=("en", "de", "nl", "sw")))
result.frame()    # model, revision, layer, method, subset, task, kind, x, draw, item, seed, value, chance, n
"""

from isogloss.studies.locate.answer import QUESTION, summarise
from isogloss.studies.locate.config import Config, Profile, demo_config
from isogloss.studies.locate.plan import plan
from isogloss.studies.old_study import old_study

__all__ = ["STUDY", "Config", "Profile", "demo_config", "run"]

STUDY = old_study(name="locate", question=QUESTION, config=Config, plan=plan, summarise=summarise)
run = STUDY.run
