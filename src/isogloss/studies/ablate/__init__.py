"""Ablate: which pretrained layers carry transfer to other languages? Re-initialise some, fine-tune, compare (Muller21).

result = ablate.run(ablate.Config(model="bert-base-multilingual-cased", sources=("en",), sets=("pairs",), ...))
result.frame()    # the common columns of studies/columns.py, and side: home, abroad, or either on other data
"""

from isogloss.studies.ablate.config import Config, configure, demo
from isogloss.studies.shared.setups import Setup
from isogloss.studies.study import Study

__all__ = ["STUDY", "Config", "Setup", "configure", "demo", "run"]

STUDY = Study.of_folder(__name__, "Which pretrained layers matter for transfer to other languages?", Config)
run = STUDY.run
