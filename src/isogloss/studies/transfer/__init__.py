"""Transfer: how well does a model that was fine-tuned in one language serve the others?

result = transfer.run(transfer.Config(task="pos", models=("xlm-roberta-base",), sources=("en",), data="ud-ewt", ...))
result.frame()    # the common columns of studies/columns.py, and side (home, abroad), method, main
"""

from isogloss.studies.study import Study
from isogloss.studies.transfer.config import Config, configure

__all__ = ["STUDY", "Config", "configure", "run"]

STUDY = Study.of_folder(__name__, "How well does a model fine-tuned in one language work in the others?", Config)
run = STUDY.run
