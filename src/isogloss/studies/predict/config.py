"""The settings of predict: which model, source and targets, on which parallel text, and what is known already."""

from dataclasses import dataclass, field
from typing import Annotated, Any

from msgspec import Meta

from isogloss.bounds import DeviceName, DtypeName, Limit, Name, Names, Seed, Weight
from isogloss.studies.shared.options import change
from isogloss.studies.shared.study_presets import load_study_preset


@dataclass(frozen=True)
class Config:
    """``known`` are runs of transfer, or tables of languages and scores; without any the answer is a ranking.

    ``candidates`` are languages that might be labelled or fine-tuned from: the targets unless named. ``typology``:
    ``wals``, the lab's, or empty for none. ``amounts`` are sizes of pretraining text by language, in any one unit.
    """

    model: Name = "lab:families"
    source: Name = "qaa"
    targets: Names = ()  # all languages of the parallel text, unless named
    candidates: Names = ()
    data: Name = "lab:families"
    limit: Limit = 300
    task: str = ""
    measure: str = ""
    known: Names = ()
    typology: str = "lab:families"
    amounts: dict[str, Weight] = field(default_factory=dict)
    confidence: Annotated[float, Meta(gt=0, lt=1)] = 0.9
    seed: Seed = 0
    revision: str | None = None
    device: DeviceName = "auto"
    dtype: DtypeName = "auto"


def configure(model: str = "", preset: str = "lab", **given: Any) -> Config:
    """The settings of a preset with what is ``given`` in their place, as the command and Python do it."""
    return change(load_study_preset("predict", preset, Config), model=model, **given)


def demo(seed: int = 0, size: str = "demo") -> Config:
    """A ranking of the lab's languages."""
    return Config(
        data=f"lab:families:{seed}", typology=f"lab:families:{seed}", limit=60 if size == "tiny" else 200, seed=seed
    )
