"""Where the numbers of a study of fine-tunings come from: its models, its data and their revisions."""

from collections.abc import Iterable, Sequence
from typing import Any

from isogloss.studies.result import Provenance
from isogloss.studies.shared.models import Checkpoint, name_model
from isogloss.studies.study import Results
from isogloss.transfer import Data, FineTune, Tuned


def origins(
    models: Sequence[str],
    cells: Sequence[FineTune | Tuned],
    results: Results,
    *,
    seeds: tuple[int, ...],
    seed: int,
    revision: str | None,
    texts: Iterable[str] = (),
) -> Provenance:
    """What a study's page says of its fine-tunings. ``texts`` are further data by name: parallel or plain text."""
    data = [one for cell in cells for one in data_of(cell)]
    named = {name: name_model(name, revision, seed) for name in models}
    return Provenance.gather(
        models=tuple(models),
        data=tuple(dict.fromkeys([*(one.name for one in data), *(text for text in texts if text)])),
        revisions={
            **{name: revision_of(model) for name, model in named.items()},
            **{one.describe(): one.revision for one in data},
        },
        seeds=seeds,
        seconds=results.seconds(cells),
    )


def revision_of(model: Any) -> str:
    """The hash or revision of a model that was there already."""
    return model.revision if isinstance(model, Checkpoint) else "trained here"


def data_of(cell: FineTune | Tuned) -> tuple[Data, ...]:
    """All records that a fine-tuning reads."""
    base = cell.candidates[0] if isinstance(cell, Tuned) else cell
    return (*base.train, *base.validation, *cell.tests)
