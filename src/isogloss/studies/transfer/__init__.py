"""Transfer: how well does a model that was fine-tuned in one language serve the others?"""

from isogloss.studies.study import Study
from isogloss.studies.transfer.answer import QUESTION, summarise
from isogloss.studies.transfer.plan import Condition, Config, conditions, plan

__all__ = ["STUDY", "Condition", "Config", "conditions", "run"]

STUDY = Study(name="transfer", question=QUESTION, config=Config, plan=plan, summarise=summarise)
run = STUDY.run
