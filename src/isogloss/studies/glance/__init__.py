"""A first glance: do two languages meet inside one encoder that was never shown a translation?

Retrieval of translations by layer in a pretrained encoder, beside everything that could explain it away: the same
architecture untrained, the sentences' structure alone (a bag of tags), and chance.
"""

from isogloss.studies.glance.config import Config, configure, demo
from isogloss.studies.glance.figures import figures_of
from isogloss.studies.glance.findings import findings_of
from isogloss.studies.glance.plan import plan
from isogloss.studies.glance.tables import tables_of
from isogloss.studies.glance.view import view_of
from isogloss.studies.study import Study

__all__ = ["STUDY", "Config", "configure", "demo", "run"]

STUDY = Study(
    name="glance",
    question="Do languages meet inside an encoder that never saw a translation?",
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
