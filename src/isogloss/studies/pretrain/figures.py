"""The figures of a pretraining: its curves."""

from collections.abc import Iterator

from isogloss.studies.pretrain.view import PretrainView
from isogloss.studies.result import Figure
from isogloss.studies.shared.training_curves import curves


def figures_of(view: PretrainView) -> Iterator[Figure]:
    """Perplexity by language first, where it was measured."""
    yield from curves(view.done.folder)
