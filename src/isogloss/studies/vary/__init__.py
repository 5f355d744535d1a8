"""Vary: what does one knob of the lab do to how languages meet? Pretrains at every value of every knob and compares.

result = vary.run(vary.configure("lab:twins", ["anchors=0,0.1,0.3", "word_order=same,mixed"], seeds=(0, 1, 2)))
result.frame()   # the common columns of studies/columns.py; condition is the setting of the knobs
"""

from isogloss.studies.study import Study
from isogloss.studies.vary.config import Config, configure
from isogloss.studies.vary.figures import figures_of
from isogloss.studies.vary.findings import findings_of
from isogloss.studies.vary.plan import named_encoder, plan
from isogloss.studies.vary.tables import tables_of
from isogloss.studies.vary.view import view_of

__all__ = ["STUDY", "Config", "configure", "run"]

STUDY = Study(
    name="vary",
    question="What does a knob of the lab do to how languages align in one encoder?",
    config=Config,
    configure=configure,
    plan=plan,
    view=view_of,
    findings=findings_of,
    tables=tables_of,
    figures=figures_of,
    encoder=named_encoder,
)
run = STUDY.run
