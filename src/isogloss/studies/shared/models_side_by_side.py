"""Studies that look at several models on the same sentences: a cell per model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from isogloss.corpora.parallel_sentences import hash_sentences
from isogloss.encoders.token_counts import TokenCounts, count_tokens
from isogloss.progress import Task
from isogloss.runs import Bench, Cell
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.models import Checkpoint, Model, name_model, open_speakers

if TYPE_CHECKING:
    from isogloss.encoders import Encoder

Layers = tuple[NDArray[np.float32], ...]
Record = TypeVar("Record")


@dataclass(frozen=True)
class ModelOnText(Cell[Record]):
    """One model on one text; ``data_revision`` is a hash of the sentences."""

    model: Model = field(default_factory=lambda: Checkpoint(""))
    data: str = ""
    data_revision: str = ""
    languages: tuple[str, ...] = ()
    limit: int = 1000
    seed: int = 0
    device: str = "auto"
    dtype: str = "auto"

    def open(self, bench: Bench) -> "dict[str, Encoder]":
        """An encoder per language, as the model is deployed."""
        return open_speakers(self.model, bench, self.languages, self.device, self.dtype, pipeline=True)


ModelCell = TypeVar("ModelCell", bound=ModelOnText[Any])


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
    names = [cell.model.label() for cell in cells]
    told = [name if names.count(name) == 1 else f"{name} ({place})" for place, name in enumerate(names, start=1)]
    return StudyPlan(config, tuple(ModelCondition(name, cell) for name, cell in zip(told, cells, strict=True)))


def read_columns(
    encoders: "Mapping[str, Encoder]", texts: Mapping[str, Sequence[str]], pooling: str | None = None
) -> tuple[dict[str, Layers], tuple[TokenCounts, ...]]:
    """Sentence states of every layer (n x d each), a pipeline's output last, and tokeniser counts, by language; kept
    in the cache of states."""
    states: dict[str, Layers] = {}
    counts: dict[str, TokenCounts] = {}
    with Task("reading sentences", total=sum(map(len, texts.values()))) as task:
        for encoder in dict.fromkeys(encoders[language] for language in texts):
            read = [language for language in texts if encoders[language] is encoder]
            cached = encoder.cached_each((texts[language] for language in read), layers="columns", pooling=pooling)
            for language, found in zip(read, cached, strict=True):
                states[language] = found.layers
                counts[language] = count_tokens(language, texts[language], found.counts, encoder.prompt_counts)
                task.advance(len(texts[language]), text=language)
    return {language: states[language] for language in texts}, tuple(counts[language] for language in texts)
