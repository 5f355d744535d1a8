"""A first glance: do two languages meet inside one encoder that was never shown a translation?

Retrieval of translations by layer in a pretrained encoder, beside everything that could explain it away: the same
architecture untrained, the sentences' structure alone (a bag of tags), and chance.
"""

from isogloss.studies.glance.config import Config, configure, demo
from isogloss.studies.study import Study

__all__ = ["STUDY", "Config", "configure", "demo", "run"]

STUDY = Study.of_folder(__name__, "Do languages align inside an encoder that never saw a translation?", Config)
run = STUDY.run
