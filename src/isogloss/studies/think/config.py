"""The settings of think: which translations are watched, on which text neurons are counted."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from msgspec import Meta

from isogloss.bounds import CountOrZero, DeviceName, DtypeName, Limit, Name, Names, Seed, Share
from isogloss.corpora.translation_prompts import TEMPLATE
from isogloss.studies.shared.options import change
from isogloss.studies.shared.study_presets import load_study_preset


@dataclass(frozen=True)
class Config:
    """``pairs`` are translations to watch (``de-fr``); ``pivot`` is the language that may stand between them, and the
    one that all dictionaries start at. ``languages`` are those whose neurons are sought (none: no neurons);
    ``share`` of all neurons are taken as a language's, ``bar`` is the quantile of activation from which one counts.
    """

    model: Name = "lab:families+planted"
    pairs: Names = ("qab-qac",)
    pivot: Name = "qaa"
    others: Names = ()  # languages besides the pair and the pivot whose words are watched
    dictionary: Name = "lab:families"
    words: Annotated[int, Meta(ge=2, le=10**6)] = 100  # per pair
    shots: CountOrZero = 4  # examples before each question
    template: Name = TEMPLATE
    lens: Literal["plain", "affine"] = "plain"
    lens_limit: Limit = 200  # sentences per language that an affine lens is learnt on
    languages: Names = ()
    text: Name = "lab:families"
    text_part: str = ""
    limit: Limit = 500  # sentences per language on which neurons are counted
    test_limit: Limit = 100  # sentences per language on which the loss is measured; others than those counted on
    share: Share = 0.01
    bar: Share = 0.95
    draws: CountOrZero = 3  # of random neurons beside each language's
    seed: Seed = 0
    revision: str | None = None
    device: DeviceName = "auto"
    dtype: DtypeName = "float32"


def configure(model: str = "", preset: str = "lab", **given: Any) -> Config:
    """The settings of a preset with what is ``given`` in their place, as the command and Python do it."""
    return change(load_study_preset("think", preset, Config), model=model, **given)


def demo(seed: int = 0, size: str = "demo") -> Config:
    """The planted decoder of the lab: seconds."""
    few = size == "tiny"
    return change(
        load_study_preset("think", "lab", Config), seed=seed, words=20 if few else 60, limit=60 if few else 200,
        test_limit=20 if few else 60,
    )  # fmt: skip
