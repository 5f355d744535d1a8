"""Choose: which model, and which layer of it, for my languages? Nothing is trained.

result = choose.run(choose.Config(models=("A", "B"), data="mine.csv", languages=("de", "fi", "sw")))
"""

from isogloss.studies.choose.config import Config, configure, demo
from isogloss.studies.choose.figures import figures_of
from isogloss.studies.choose.findings import findings_of
from isogloss.studies.choose.plan import plan
from isogloss.studies.choose.tables import tables_of
from isogloss.studies.choose.view import view_of
from isogloss.studies.study import Study

__all__ = ["STUDY", "Config", "configure", "demo", "run"]

STUDY = Study(
    name="choose",
    question="Which model, and which layer of it, for my languages?",
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
