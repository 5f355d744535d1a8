"""Locate: in which dimensions and layers of an encoder is the identity of a language stored? (Liang21)

result = locate.run(locate.Config(model="xlm-roberta-base", data="ntrex", languages=("en", "de", "nl", "sw")))
result.frame()    # the common columns of studies/columns.py; side, subset, kind, x, draw, item, chance, revision
"""

from isogloss.studies.locate.config import Config, Profile, configure, demo
from isogloss.studies.locate.figures import figures_of
from isogloss.studies.locate.findings import findings_of
from isogloss.studies.locate.plan import plan
from isogloss.studies.locate.tables import tables_of
from isogloss.studies.locate.view import view_of
from isogloss.studies.study import Study

__all__ = ["STUDY", "Config", "Profile", "configure", "demo", "run"]

STUDY = Study(
    name="locate",
    question="In which dimensions and layers is the identity of a language stored?",
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
