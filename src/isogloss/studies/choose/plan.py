"""The cells of a choice: one per model, all on the same sentences."""

from dataclasses import dataclass

from isogloss.errors import IsoglossError
from isogloss.studies.choose.cells import Suitability, read_sentences
from isogloss.studies.choose.config import Config
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.models import name_model
from isogloss.studies.shared.sentences import LEAST_SENTENCES, hash_sentences


@dataclass(frozen=True)
class ChooseCondition:
    """A model, by a short name that tells it from the others."""

    name: str
    cell: Suitability


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
            "without translations nothing says whether a classifier carries over",
            where=config.data,
            remedy="give parallel text, or leave --for out",
        )
    cells = [
        Suitability(
            model=name_model(name, config.revision, config.seed),
            data=config.data,
            data_revision=hash_sentences(text.texts),
            languages=tuple(text.texts),
            limit=config.limit,
            purpose=config.purpose,
            seed=config.seed,
            device=config.device,
            dtype=config.dtype,
        )
        for name in config.models
    ]
    names = [cell.model.label() for cell in cells]
    told = [name if names.count(name) == 1 else f"{name} ({place})" for place, name in enumerate(names, start=1)]
    return StudyPlan(config, tuple(ChooseCondition(name, cell) for name, cell in zip(told, cells, strict=True)))
