"""Fuse: does fusing a lower layer with the last one transfer better, and would one have known which (Chen22)?

result = fuse.run(fuse.Config(models=("bert-base-multilingual-cased",), tasks=(fuse.Setup("pos", ...),), source="en"))
result.frame()    # the common columns of studies/columns.py (layer: the fused one), and side, group, gate, branches
"""

from isogloss.studies.fuse.config import Config, configure, demo
from isogloss.studies.fuse.figures import figures_of
from isogloss.studies.fuse.findings import findings_of
from isogloss.studies.fuse.plan import plan
from isogloss.studies.fuse.tables import tables_of
from isogloss.studies.fuse.view import view_of
from isogloss.studies.shared.setups import Setup
from isogloss.studies.study import Study

__all__ = ["STUDY", "Config", "Setup", "configure", "demo", "run"]

STUDY = Study(
    name="fuse",
    question="Does fusing a lower layer with the last one transfer better?",
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
