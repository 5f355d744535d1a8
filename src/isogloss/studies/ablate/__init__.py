"""Ablate: which pretrained layers carry transfer to other languages? Re-initialise some, fine-tune, compare (Muller21).

result = ablate.run(ablate.Config(model="bert-base-multilingual-cased", sources=("en",), sets=("pairs",), ...))
result.frame()    # the common columns of studies/columns.py, and side: home, abroad, or either on other data
"""

from isogloss.studies.ablate.config import Config, configure, demo
from isogloss.studies.ablate.figures import figures_of
from isogloss.studies.ablate.findings import findings_of
from isogloss.studies.ablate.plan import plan
from isogloss.studies.ablate.tables import tables_of
from isogloss.studies.ablate.view import view_of
from isogloss.studies.shared.setups import Setup
from isogloss.studies.study import Study

__all__ = ["STUDY", "Config", "Setup", "configure", "demo", "run"]

STUDY = Study(
    name="ablate",
    question="Which pretrained layers carry transfer to other languages?",
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
