"""The settings of a choice: the models, the sentences, and what the vectors are for."""

from dataclasses import dataclass
from typing import Any, Literal

from isogloss.bounds import DeviceName, DtypeName, Limit, Names, Seed, SomeNames
from isogloss.studies.shared.options import change

Purpose = Literal["retrieval", "classification"]


@dataclass(frozen=True)
class Config:
    """Models to choose from, and sentences to choose on: parallel text, or texts in several languages.

    A quarter of the sentences serves to choose layers, and every number shown is measured on the rest. For
    ``classification`` half of the sentences trains a classifier in the first language (English where it is there).
    """

    models: SomeNames
    data: str = "ntrex"
    languages: Names = ()  # all that the data has, unless named
    limit: Limit = 1000  # sentences per language
    purpose: Purpose = "retrieval"
    revision: str | None = None
    seed: Seed = 0
    device: DeviceName = "auto"
    dtype: DtypeName = "auto"


def configure(models: Names, **given: Any) -> Config:
    """The settings for ``models``; what is not given keeps its default."""
    return change(Config(models=models), **given)


def demo(seed: int = 0, size: str = "demo") -> Config:
    """Small enough for a demo: the lab's own encoder against its untrained twin."""
    return Config(
        models=("lab:families", "untrained:lab:families"), data=f"lab:families:{seed}",
        limit=60 if size == "tiny" else 300, seed=seed,
    )  # fmt: skip
