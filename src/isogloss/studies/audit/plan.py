"""The cells of an audit: one per model, all on the same pool."""

from dataclasses import dataclass

from isogloss.studies.audit.cells import Audit
from isogloss.studies.audit.config import Config
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.models import name_model
from isogloss.studies.shared.sentences import hash_sentences, read_parallel


@dataclass(frozen=True)
class AuditCondition:
    """A model, by a short name."""

    name: str
    cell: Audit


def plan(config: Config) -> StudyPlan[Config, AuditCondition]:
    """A cell per model, in the order named."""
    text = read_parallel(config.data, config.languages, config.limit)
    cells = [
        Audit(
            model=name_model(name, config.revision, config.seed),
            data=config.data,
            data_revision=hash_sentences(text.texts),
            languages=text.languages,
            limit=config.limit,
            seed=config.seed,
            device=config.device,
            dtype=config.dtype,
        )
        for name in config.models
    ]
    names = [cell.model.label() for cell in cells]
    told = [name if names.count(name) == 1 else f"{name} ({place})" for place, name in enumerate(names, start=1)]
    return StudyPlan(config, tuple(AuditCondition(name, cell) for name, cell in zip(told, cells, strict=True)))
