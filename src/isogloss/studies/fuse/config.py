"""The settings of a fusion study: which layers are fused with the last one, and what they are compared with."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from isogloss.bounds import SOME, DeviceName, LayerNumber, Limit, Name, Names, Seed, Seeds, SomeNames
from isogloss.studies.shared.options import change_study
from isogloss.studies.shared.setups import Setup
from isogloss.studies.shared.study_presets import load_study_preset

Gate = Literal["literal", "gate"]


@dataclass(frozen=True)
class Config:
    """Which layers are fused with the last one, in which models, for which tasks, and what they are compared with.

    ``gates``: ``literal`` is the papers' equations as they stand, ``gate`` the plain sigmoid; the first is the one that
    tables show, the other stands beside it. ``ablated`` are the layers whose two branches are also both global and
    both local, and that are also simply put beside the last one; by default the one below the last, and the middle.
    """

    models: SomeNames = ("lab:families",)
    tasks: tuple[Setup, ...] = (Setup("pos"),)
    source: Name = "qaa"
    targets: Names = ()  # all languages of the test data, unless named
    layers: str = "all"  # fused with the last one; the last one itself is the control
    gates: Annotated[tuple[Gate, ...], SOME] = ("literal", "gate")
    ablated: tuple[LayerNumber, ...] | None = None
    rivals: bool = True  # scalar mix and concatenation
    parallel: str = "lab:families"  # empty: no cosines
    parallel_limit: Limit = 500
    families: dict[str, str] = field(default_factory=dict)  # of languages; the lab's or WALS's unless named
    seeds: Seeds = (0,)
    seed: Seed = 0  # of the lab's model
    vary_pretraining: bool = False  # each of seeds also pretrains a lab model of its own
    revision: str | None = None
    device: DeviceName = "auto"


def configure(model: str = "", preset: str = "lab", *, compare: Sequence[str] = (), **given: Any) -> Config:
    """The settings of a preset with what is ``given`` in their place, as command and Python do it.

    ``compare`` names further models, to stand beside ``model``.
    """
    models = (model, *compare) if model else ()
    return change_study(load_study_preset("fuse", preset, Config), model, models=models, **given)


def demo(seed: int = 0, size: str = "demo") -> Config:
    """Small enough for a laptop's demo, on the lab's own encoder of two languages: one task, one gate, three seeds."""
    lab = f"lab:twins:{seed}"
    pos = Setup("pos", data=lab, limit=300, test_limit=150, settings={"epochs": 3})
    return Config(
        models=("lab:twins",), tasks=(pos,), gates=("literal",), ablated=(), parallel=lab, parallel_limit=200,
        seeds=tuple(range(seed, seed + (2 if size == "tiny" else 3))), seed=seed,
    )  # fmt: skip
