"""Transfer: how well does a model that was fine-tuned in one language serve the others?

result = transfer.run(transfer.Config(task="pos", models=("xlm-roberta-base",), sources=("en",), data="ud-ewt", ...))
result.frame()    # the common columns of studies/columns.py, and side (home, abroad), method, main
"""

from isogloss.studies.study import Study
from isogloss.studies.transfer.config import Config, configure
from isogloss.studies.transfer.figures import figures_of
from isogloss.studies.transfer.findings import findings_of
from isogloss.studies.transfer.plan import plan
from isogloss.studies.transfer.tables import tables_of
from isogloss.studies.transfer.view import view_of

__all__ = ["STUDY", "Config", "configure", "run"]

STUDY = Study(
    name="transfer",
    question="How well does a model fine-tuned in one language serve the others?",
    config=Config,
    configure=configure,
    plan=plan,
    view=view_of,
    findings=findings_of,
    tables=tables_of,
    figures=figures_of,
)
run = STUDY.run
