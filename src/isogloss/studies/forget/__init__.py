"""Forget: what does fine-tuning do to the identity of languages, and does forcing it away help? (Tanti21)

result = forget.run(forget.Config(model="bert-base-multilingual-cased", tasks=(forget.Setup("pos"),), texts="wiki"))
result.frame()    # the common columns of studies/columns.py, side (home, abroad) and method
"""

from isogloss.studies.forget.config import Config, configure, demo
from isogloss.studies.forget.config import ForgetSetup as Setup
from isogloss.studies.forget.figures import figures_of
from isogloss.studies.forget.findings import findings_of
from isogloss.studies.forget.plan import plan
from isogloss.studies.forget.tables import tables_of
from isogloss.studies.forget.view import view_of
from isogloss.studies.study import Study

__all__ = ["STUDY", "Config", "Setup", "configure", "demo", "run"]

STUDY = Study(
    name="forget",
    question="What does fine-tuning do to the identity of languages, and does forgetting it help?",
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
