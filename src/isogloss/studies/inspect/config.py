"""The settings of an inspection: models, and the parallel text to inspect them on."""

from dataclasses import dataclass
from typing import Any

from isogloss.bounds import DeviceName, DtypeName, Limit, Names, Pooling, Seed, SomeNames
from isogloss.studies.shared.options import change


@dataclass(frozen=True)
class Config:
    """Models to inspect, and the parallel text to inspect them on.

    A quarter of the sentences serves everything that is chosen or fitted (the best layer, probes, the language
    subspace); every number shown is measured on the rest.
    """

    models: SomeNames
    data: str = "ntrex"
    languages: Names = ()  # all that the data has, unless named
    limit: Limit = 500  # sentences per language
    pivot: str = ""  # for MEXA's score: English where it is there, or the first language
    alignments: str = ""  # gold word alignments, for the alignment error rate
    pooling: Pooling = "own"  # a pipeline's, or the mean
    measures: Names = ()  # of plugins, by name
    revision: str | None = None
    seed: Seed = 0
    device: DeviceName = "auto"
    dtype: DtypeName = "auto"


def configure(model: str, *, compare: Names = (), **given: Any) -> Config:
    """The settings for ``model`` and those it is compared with; what is not given keeps its default."""
    return change(Config(models=(model, *compare)), **given)


def demo(seed: int = 0, size: str = "demo") -> Config:
    """Small enough for a demo, on the lab's own encoder."""
    return Config(
        models=("lab:families",), data=f"lab:families:{seed}", limit=60 if size == "tiny" else 300, seed=seed
    )  # fmt: skip
