"""Inspect: which layer of a model aligns which languages, which lag, and what the languages share. No training.

result = inspect.run(inspect.Config(models=("xlm-roberta-base",), data="ntrex", languages=("en", "de", "sw")))
result.frame()    # the common columns of studies/columns.py, and the revision of the model
"""

from isogloss.studies.inspect.config import Config, configure, demo
from isogloss.studies.inspect.figures import figures_of
from isogloss.studies.inspect.findings import findings_of
from isogloss.studies.inspect.plan import plan
from isogloss.studies.inspect.tables import tables_of
from isogloss.studies.inspect.view import view_of
from isogloss.studies.study import Study

__all__ = ["STUDY", "Config", "configure", "demo", "run"]

STUDY = Study(
    name="inspect",
    question="Which layer aligns which languages, and what do they share?",
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
