"""The cells of an inspection: one per model, all on the same parallel text."""

from dataclasses import dataclass

from isogloss.corpora import load_alignments
from isogloss.errors import IsoglossError
from isogloss.studies.inspect.cells import Inspection, find_pivot, pair_of
from isogloss.studies.inspect.cells.own_measures import find_measures
from isogloss.studies.inspect.config import Config
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.models import name_model, pooling_of
from isogloss.studies.shared.sentences import hash_sentences, read_parallel


@dataclass(frozen=True)
class InspectCondition:
    """A model, by a short name that tells it from the others."""

    name: str
    cell: Inspection


def plan(config: Config) -> StudyPlan[Config, InspectCondition]:
    """A cell per model, in the order named."""
    if not config.models:
        raise IsoglossError("no model was named", where="setting 'models'", remedy="models: [xlm-roberta-base]")
    text = read_parallel(config.data, config.languages, config.limit)
    if config.pivot:
        find_pivot(config.pivot, text.languages)
    gold = load_alignments(config.alignments, *pair_of(text.languages)).revision if config.alignments else ""
    own = find_measures(config.measures)
    cells = tuple(
        Inspection(
            model=model,
            data=config.data,
            data_revision=hash_sentences(text.texts),
            languages=text.languages,
            limit=config.limit,
            alignments=config.alignments,
            alignments_revision=gold,
            pooling=pooling_of(config.pooling, model),
            seed=config.seed,
            device=config.device,
            dtype=config.dtype,
            measures=own,
        )
        for model in (name_model(name, config.revision, config.seed) for name in config.models)
    )
    names = [cell.model.label() for cell in cells]
    told = [name if names.count(name) == 1 else f"{name} ({place})" for place, name in enumerate(names, start=1)]
    return StudyPlan(config, tuple(InspectCondition(name, cell) for name, cell in zip(told, cells, strict=True)))
