"""A first glance: do two languages meet inside one encoder that was never shown a translation?

Retrieval of translations by layer in a pretrained encoder, beside everything that could explain it away: the same
architecture untrained, the sentences' structure alone (a bag of tags), and chance.
"""

from isogloss.studies.glance.answer import QUESTION, summarise
from isogloss.studies.glance.cells import Config, plan
from isogloss.studies.old_study import old_study

__all__ = ["STUDY", "Config", "run"]

STUDY = old_study(name="glance", question=QUESTION, config=Config, plan=plan, summarise=summarise)
run = STUDY.run
