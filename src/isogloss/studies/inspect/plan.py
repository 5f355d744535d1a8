"""The cells of an inspection: one per model, all on the same parallel text."""

from typing import Any

from isogloss.corpora import load_alignments
from isogloss.corpora.parallel_sentences import read_parallel
from isogloss.studies.inspect.cells import Inspection, find_measures, find_pivot, pair_of
from isogloss.studies.inspect.config import Config
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.models import Model, pooling_of
from isogloss.studies.shared.models_side_by_side import ModelCondition, plan_models

InspectCondition = ModelCondition[Inspection]


def plan(config: Config) -> StudyPlan[Config, InspectCondition]:
    """A cell per model, in the order named."""
    text = read_parallel(config.data, config.languages, config.limit)
    if config.pivot:
        find_pivot(config.pivot, text.languages)
    gold = load_alignments(config.alignments, *pair_of(text.languages)).revision if config.alignments else ""
    own = find_measures(config.measures)

    def inspection(model: Model, **same: Any) -> Inspection:
        pooling = pooling_of(config.pooling, model)
        same |= {"alignments": config.alignments, "alignments_revision": gold, "measures": own}
        return Inspection(model=model, pooling=pooling, **same)

    return plan_models(config, text.texts, inspection)
