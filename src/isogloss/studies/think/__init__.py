"""Think: which language does a decoder think in, and which neurons speak it? (Wendler et al. 2024; Tang et al. 2024)

result = think.run(think.Config(model="./gemma3-270m", pairs=("de-fr",), pivot="en", dictionary="dictionaries"))
result.frame()    # the common columns, and language: whose word, or whose neurons
"""

from isogloss.studies.study import Study
from isogloss.studies.think.config import Config, configure, demo
from isogloss.studies.think.figures import figures_of
from isogloss.studies.think.findings import findings_of
from isogloss.studies.think.plan import plan
from isogloss.studies.think.tables import tables_of
from isogloss.studies.think.view import view_of

__all__ = ["STUDY", "Config", "configure", "demo", "run"]

STUDY = Study(
    name="think",
    question="Which language does the model think in, and which neurons speak it?",
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
