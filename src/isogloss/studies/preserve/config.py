"""The settings of a study of L-DAR: which states are held, how strongly, and in which fine-tunings."""

from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from isogloss.bounds import SOME, Count, DeviceName, Limit, LimitOrZero, Name, Names, Seed, Seeds, SomeNames, Weights
from isogloss.studies.shared.options import change_study
from isogloss.studies.shared.setups import Setup
from isogloss.studies.shared.study_presets import load_study_preset

Subspace = Literal["densray", "lda"]


@dataclass(frozen=True)
class Config:
    """Which states are held where pretraining left them, how strongly, and in which fine-tunings.

    Each of ``sources`` is a fine-tuning: one language, or several joined with ``+``. ``layers`` are held together:
    all, fours, pairs, or layers themselves (``9-12``). The first of ``subspaces`` is tried on every set of layers, the
    others on the first set. Of ``alphas`` the one that is best on the validation part of the sources is taken.
    """

    model: Name = "lab:families"
    tasks: tuple[Setup, ...] = (Setup("pos"),)
    sources: SomeNames = ("qaa",)
    targets: Names = ()  # all languages of the test data, unless named
    layers: SomeNames = ("all", "fours")
    subspaces: Annotated[tuple[Subspace, ...], SOME] = ("densray", "lda")
    alphas: Weights = (5e-3, 2e-2)
    dims: Count | None = None  # of the subspace; None: one more than there are languages
    weights: bool = True  # by shares of the eigenvalues
    over: Literal["tokens", "labelled"] = "tokens"  # which tokens the regulariser's mean is over
    renormalise: bool = False  # shares of the first eigenvalues only, which sum to one
    control: bool = True  # the baseline without dropout, which L-DAR has none of
    texts: str = "lab:families"  # plain text of many languages, that subspaces are fitted on
    text_languages: Names = ()  # all that the text has, unless named
    text_limit: Limit = 2_000  # sentences per language
    tokens: Limit = 10_000  # per language, to fit on
    drift_tokens: LimitOrZero = 500  # per language, to measure how far states have moved; 0: not measured
    seeds: Seeds = (0,)
    seed: Seed = 0  # of the lab's model
    vary_pretraining: bool = False  # each of seeds also pretrains a lab model of its own
    revision: str | None = None
    device: DeviceName = "auto"


def configure(model: str = "", preset: str = "lab", **given: Any) -> Config:
    """The settings of a preset with what is ``given`` in their place, as command and Python do it."""
    return change_study(load_study_preset("preserve", preset, Config), model, model=model, **given)


def demo(seed: int = 0, size: str = "demo") -> Config:
    """Small enough for a laptop's demo: one task, one source, all layers; ``tiny`` only shows that everything runs."""
    lab = f"lab:families:{seed}"
    pos = Setup("pos", data=lab, limit=300, test_limit=150, settings={"epochs": 3})
    config = Config(
        model="lab:families", tasks=(pos,), sources=("qaa",), layers=("all",), subspaces=("densray",),
        alphas=(0.05, 0.5), control=False, texts=lab, text_limit=400, tokens=1_000, drift_tokens=100,
        seeds=(seed, seed + 1, seed + 2), seed=seed,
    )  # fmt: skip
    if size == "tiny":
        return replace(config, text_limit=60, tokens=200, drift_tokens=40, seeds=(seed, seed + 1))
    return config
