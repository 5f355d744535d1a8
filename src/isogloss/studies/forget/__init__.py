"""Forget: what does fine-tuning do to the identity of languages, and does forcing it away help? (Tanti21)

result = forget.run(forget.Config(model="bert-base-multilingual-cased", tasks=(forget.Setup("pos"),), texts="wiki"))
result.frame()    # task, condition, method, seed, target, where, data, measure, value, low, high, n
"""

from isogloss.studies.forget.answer import QUESTION, summarise
from isogloss.studies.forget.config import Config, Setup, demo_config
from isogloss.studies.forget.plan import conditions, plan
from isogloss.studies.old_study import old_study

__all__ = ["STUDY", "Config", "Setup", "conditions", "demo_config", "run"]

STUDY = old_study(name="forget", question=QUESTION, config=Config, plan=plan, summarise=summarise)
run = STUDY.run
