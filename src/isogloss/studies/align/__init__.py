"""Align: can encoders trained apart, with nothing in common, be aligned afterwards (Wu20 section 5)?

result = align.run(align.Config(source="en", targets=("fr",), models={"en": "./bert-en", "fr": "./bert-fr"}, ...))
result.frame()    # the common columns of studies/columns.py, and side, level, what, size
"""

from isogloss.studies.align.config import Config, configure, demo
from isogloss.studies.align.figures import figures_of
from isogloss.studies.align.findings import findings_of
from isogloss.studies.align.plan import plan
from isogloss.studies.align.tables import tables_of
from isogloss.studies.align.view import view_of
from isogloss.studies.shared.setups import Setup
from isogloss.studies.study import Study

__all__ = ["STUDY", "Config", "Setup", "configure", "demo", "run"]

STUDY = Study(
    name="align",
    question="Can encoders that were trained apart be aligned?",
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
