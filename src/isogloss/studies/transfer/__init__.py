"""Transfer: how well does a model that was fine-tuned in one language serve the others?"""

from isogloss.studies.old_study import old_study
from isogloss.studies.transfer.answer import QUESTION, summarise
from isogloss.studies.transfer.plan import Condition, Config, conditions, plan

__all__ = ["STUDY", "Condition", "Config", "conditions", "run"]

STUDY = old_study(name="transfer", question=QUESTION, config=Config, plan=plan, summarise=summarise)
run = STUDY.run
