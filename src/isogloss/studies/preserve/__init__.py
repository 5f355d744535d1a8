"""Preserve: does keeping language-specific states where pretraining left them help transfer (Liang21 App. B)?

result = preserve.run(preserve.Config(model="bert-base-multilingual-cased", tasks=(preserve.Setup("pos", ...),), ...))
result.frame()    # the common columns of studies/columns.py, and side, layers, subspace, alpha
"""

from isogloss.studies.preserve.config import Config, configure, demo
from isogloss.studies.shared.setups import Setup
from isogloss.studies.study import Study

__all__ = ["STUDY", "Config", "Setup", "configure", "demo", "run"]

STUDY = Study.of_folder(
    __name__, "Does keeping language-specific states in place during fine-tuning help transfer?", Config
)
run = STUDY.run
