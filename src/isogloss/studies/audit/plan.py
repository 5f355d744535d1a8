"""The cells of an audit: one per model, all on the same pool."""

from isogloss.corpora.parallel_sentences import read_parallel
from isogloss.studies.audit.cells import Audit
from isogloss.studies.audit.config import Config
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.models_side_by_side import ModelCondition, plan_models

AuditCondition = ModelCondition[Audit]


def plan(config: Config) -> StudyPlan[Config, AuditCondition]:
    """A cell per model, in the order named."""
    return plan_models(config, read_parallel(config.data, config.languages, config.limit).texts, Audit)
