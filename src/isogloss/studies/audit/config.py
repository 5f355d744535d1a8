"""The settings of an audit: the models, and the parallel sentences that make the pool."""

from dataclasses import dataclass
from typing import Any

from isogloss.bounds import DeviceName, DtypeName, Limit, Names, Seed, SomeNames
from isogloss.studies.shared.options import change


@dataclass(frozen=True)
class Config:
    """Models to audit, and parallel text. A quarter of the sentences serves to choose a layer (where a model has no
    output) and to fit what takes language away; the rest is the pool."""

    models: SomeNames
    data: str = "ntrex"
    languages: Names = ()  # all that the data has, unless named
    limit: Limit = 1000  # sentences per language
    revision: str | None = None
    seed: Seed = 0
    device: DeviceName = "auto"
    dtype: DtypeName = "auto"


def configure(models: Names, **given: Any) -> Config:
    """The settings for ``models``; what is not given keeps its default."""
    return change(Config(models=models), **given)


def demo(seed: int = 0, size: str = "demo") -> Config:
    """Small enough for a demo, on the lab's own encoder."""
    return Config(models=("lab:families",), data=f"lab:families:{seed}", limit=60 if size == "tiny" else 300, seed=seed)
