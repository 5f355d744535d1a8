"""Audit: does the language of a text decide what is found? One pool of all languages, nothing trained.

result = audit.run(audit.Config(models=("A",), data="mine.csv", languages=("de", "fi", "sw")))
"""

from isogloss.studies.audit.config import Config, configure, demo
from isogloss.studies.audit.figures import figures_of
from isogloss.studies.audit.findings import findings_of
from isogloss.studies.audit.plan import plan
from isogloss.studies.audit.tables import tables_of
from isogloss.studies.audit.view import view_of
from isogloss.studies.study import Study

__all__ = ["STUDY", "Config", "configure", "demo", "run"]

STUDY = Study(
    name="audit",
    question="Does the language of a text decide what is found?",
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
