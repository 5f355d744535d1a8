"""Forget: what does fine-tuning do to the identity of languages, and does forcing it away help? (Tanti21)

result = forget.run(forget.Config(model="bert-base-multilingual-cased", tasks=(forget.Setup("pos"),), texts="wiki"))
result.frame()    # the common columns of studies/columns.py, side (home, abroad) and method
"""

from isogloss.studies.forget.config import Config, configure, demo
from isogloss.studies.forget.config import ForgetSetup as Setup
from isogloss.studies.study import Study

__all__ = ["STUDY", "Config", "Setup", "configure", "demo", "run"]

STUDY = Study.of_folder(__name__, "What does fine-tuning do to language identity, and does forgetting it help?", Config)
run = STUDY.run
