"""Predict: how well will a model transfer to languages that nobody has labelled?

result = predict.run(predict.Config(model="xlm-roberta-base", source="en", known=("runs/transfer",), ...))
result.frame()    # the common columns: predicted scores, features, errors of each way to predict
"""

from isogloss.studies.predict.config import Config, configure, demo
from isogloss.studies.study import Study

__all__ = ["STUDY", "Config", "configure", "demo", "run"]

STUDY = Study.of_folder(__name__, "How well will this model transfer to languages without labelled data?", Config)
run = STUDY.run
