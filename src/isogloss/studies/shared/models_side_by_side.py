"""Studies that look at several models on the same sentences: a cell per model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from isogloss.corpora.parallel_sentences import hash_sentences
from isogloss.runs import Cell
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.models import name_model

ModelCell = TypeVar("ModelCell", bound=Cell[Any])


@dataclass(frozen=True)
class ModelCondition(Generic[ModelCell]):
    """A model, by a short name that tells it from the others."""

    name: str
    cell: ModelCell


def plan_models(
    config: Any, texts: Mapping[str, Sequence[str]], make: Callable[..., ModelCell]
) -> StudyPlan[Any, ModelCondition[ModelCell]]:
    """A cell per model of ``config``, in the order named; ``make`` gets the fields that say which model and text."""
    same = {name: getattr(config, name) for name in ("data", "limit", "seed", "device", "dtype")}
    same |= {"data_revision": hash_sentences(texts), "languages": tuple(texts)}
    cells = [make(model=name_model(name, config.revision, config.seed), **same) for name in config.models]
    names = [cell.model.label() for cell in cells]  # type: ignore[attr-defined]
    told = [name if names.count(name) == 1 else f"{name} ({place})" for place, name in enumerate(names, start=1)]
    return StudyPlan(config, tuple(ModelCondition(name, cell) for name, cell in zip(told, cells, strict=True)))
