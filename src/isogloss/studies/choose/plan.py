"""The cells of a choice: one per model, all on the same sentences."""

from functools import partial

from isogloss.corpora.parallel_sentences import LEAST_SENTENCES
from isogloss.errors import IsoglossError
from isogloss.studies.choose.cells import Suitability, read_sentences
from isogloss.studies.choose.config import Config
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.models_side_by_side import ModelCondition, plan_models

ChooseCondition = ModelCondition[Suitability]


def plan(config: Config) -> StudyPlan[Config, ChooseCondition]:
    """A cell per model, in the order named."""
    text = read_sentences(config.data, config.languages, config.limit)
    fewest = min(map(len, text.texts.values()))
    if len(text.texts) < 2 or fewest < LEAST_SENTENCES:
        raise IsoglossError(
            f"{fewest} sentences in {len(text.texts)} languages are too few to choose on",
            where=config.data,
            remedy=f"give at least two languages and {LEAST_SENTENCES} sentences in each",
        )
    if config.purpose == "classification" and not text.parallel:
        raise IsoglossError(
            "without translations the transfer of a classifier cannot be measured",
            where=config.data,
            remedy="give parallel text, or leave --for out",
        )
    return plan_models(config, text.texts, partial(Suitability, purpose=config.purpose))
