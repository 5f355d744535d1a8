"""Audit: does the language of a text decide what is found? One pool of all languages, nothing trained.

result = audit.run(audit.Config(models=("A",), data="mine.csv", languages=("de", "fi", "sw")))
"""

from isogloss.studies.audit.config import Config, configure, demo
from isogloss.studies.study import Study

__all__ = ["STUDY", "Config", "configure", "demo", "run"]

STUDY = Study.of_folder(__name__, "Does the language of a text decide what is found?", Config)
run = STUDY.run
