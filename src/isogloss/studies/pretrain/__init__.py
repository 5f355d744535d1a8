"""Pretrain: a multilingual encoder from plain text, every factor a switch of its recipe.

result = pretrain.run(pretrain.configure("lab", data="lab:families", settings={"vocabulary.scope": "marked"}))
result.frame()   # the common columns of studies/columns.py; target is the language
"""

from isogloss.studies.pretrain.config import Config, configure, demo
from isogloss.studies.pretrain.figures import figures_of
from isogloss.studies.pretrain.findings import findings_of
from isogloss.studies.pretrain.plan import plan, trained_encoder
from isogloss.studies.pretrain.tables import tables_of
from isogloss.studies.pretrain.view import view_of
from isogloss.studies.study import Study

__all__ = ["STUDY", "Config", "configure", "demo", "run"]

STUDY = Study(
    name="pretrain",
    question="What did the model learn of each language?",
    config=Config,
    configure=configure,
    demo=demo,
    plan=plan,
    view=view_of,
    findings=findings_of,
    tables=tables_of,
    figures=figures_of,
    encoder=trained_encoder,
)
run = STUDY.run
