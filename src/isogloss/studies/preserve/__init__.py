"""Preserve: does keeping language-specific states where pretraining left them help transfer (Liang21 App. B)?

result = preserve.run(preserve.Config(model="bert-base-multilingual-cased", tasks=(preserve.Setup("pos", ...),), ...))
result.frame()    # the common columns of studies/columns.py, and side, layers, subspace, alpha
"""

from isogloss.studies.preserve.config import Config, configure, demo
from isogloss.studies.preserve.figures import figures_of
from isogloss.studies.preserve.findings import findings_of
from isogloss.studies.preserve.plan import plan
from isogloss.studies.preserve.tables import tables_of
from isogloss.studies.preserve.view import view_of
from isogloss.studies.shared.setups import Setup
from isogloss.studies.study import Study

__all__ = ["STUDY", "Config", "Setup", "configure", "demo", "run"]

STUDY = Study(
    name="preserve",
    question="Does keeping language-specific states where pretraining left them help transfer?",
    config=Config,
    configure=configure,
    demo=demo,
    plan=plan,
    view=view_of,
    findings=findings_of,
    tables=tables_of,
    figures=figures_of,
)
run = STUDY.run
