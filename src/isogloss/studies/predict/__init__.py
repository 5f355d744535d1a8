"""Predict: how well will a model transfer to languages that nobody has labelled?

result = predict.run(predict.Config(model="xlm-roberta-base", source="en", known=("runs/transfer",), ...))
result.frame()    # the common columns: predicted scores, features, errors of each way to predict
"""

from isogloss.studies.predict.config import Config, configure, demo
from isogloss.studies.predict.figures import figures_of
from isogloss.studies.predict.findings import findings_of
from isogloss.studies.predict.plan import plan
from isogloss.studies.predict.tables import tables_of
from isogloss.studies.predict.view import view_of
from isogloss.studies.study import Study

__all__ = ["STUDY", "Config", "configure", "demo", "run"]

STUDY = Study(
    name="predict",
    question="How well will this model transfer to languages that nobody has labelled?",
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
