"""Emerge: what makes languages meet inside one encoder (Wu20 Table 1, Fig. 3)?

result = emerge.run(emerge.Config(pairs=(emerge.Pair("en", "fr"),), text="wiki", other_text="cc", recipe="laptop", ...))
result.frame()   # the common columns of studies/columns.py, and side (home, abroad), pair, pool
"""

from isogloss.studies.emerge.config import Config, Pair, configure, demo
from isogloss.studies.emerge.figures import figures_of
from isogloss.studies.emerge.findings import findings_of
from isogloss.studies.emerge.plan import named_encoder, plan
from isogloss.studies.emerge.tables import tables_of
from isogloss.studies.emerge.view import view_of
from isogloss.studies.shared.setups import Setup
from isogloss.studies.study import Study

__all__ = ["STUDY", "Config", "Pair", "Setup", "configure", "demo", "run"]

STUDY = Study(
    name="emerge",
    question="What makes languages meet inside one encoder: text, vocabulary, shared parameters or kinship?",
    config=Config,
    configure=configure,
    demo=demo,
    plan=plan,
    view=view_of,
    findings=findings_of,
    tables=tables_of,
    figures=figures_of,
    encoder=named_encoder,
)
run = STUDY.run
