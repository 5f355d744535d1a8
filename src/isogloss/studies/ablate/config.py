"""The settings of an ablation: which layers are re-initialised before fine-tuning, for which tasks and sources."""

from dataclasses import dataclass
from typing import Any, Literal

from isogloss.bounds import DeviceName, Limit, Name, Names, Seed, Seeds, SomeNames
from isogloss.studies.shared.options import change_study
from isogloss.studies.shared.setups import Setup
from isogloss.studies.shared.study_presets import load_study_preset

Kind = Literal["linear", "rbf", "unbiased", "rbf-unbiased"]


@dataclass(frozen=True)
class Config:
    """Which layers of a model are re-initialised before fine-tuning, for which tasks, sources and seeds.

    ``sets``: pairs, singles, thirds, quarters, all, or layers themselves (``1-3``). ``similarity`` names the kinds of
    CKA; the first one is the one that figures show. ``search`` tries the grid of each task's preset on the source's
    validation part, for every set of layers, as the paper does.
    """

    model: Name = "lab:families"
    tasks: tuple[Setup, ...] = (Setup("pos"),)
    sources: SomeNames = ("qaa",)
    targets: Names = ()  # all languages of the test data, unless named
    sets: SomeNames = ("pairs", "all")
    parallel: str = "lab:families"  # empty: no similarities
    parallel_limit: Limit = 500
    similarity: tuple[Kind, ...] = ("linear", "unbiased")
    search: bool = False
    seeds: Seeds = (0,)
    seed: Seed = 0  # of the lab's model
    vary_pretraining: bool = False  # each of seeds also pretrains a lab model of its own
    revision: str | None = None
    device: DeviceName = "auto"


def configure(model: str = "", preset: str = "lab", **given: Any) -> Config:
    """The settings of a preset with what is ``given`` in their place, as command and Python do it."""
    return change_study(load_study_preset("ablate", preset, Config), model, model=model, **given)


def demo(seed: int = 0, size: str = "demo") -> Config:
    """Small enough for a demo, on the lab's own encoder: one task, pairs of layers, three seeds."""
    lab = f"lab:families:{seed}"
    pos = Setup(
        "pos", data=f"{lab}/0", elsewhere={f"{lab}/1": ()}, limit=300, test_limit=150, settings={"epochs": 3}
    )  # fmt: skip
    return Config(
        model="lab:families", tasks=(pos,), sets=("pairs",), parallel=lab, parallel_limit=200,
        seeds=tuple(range(seed, seed + (2 if size == "tiny" else 3))), seed=seed,
    )  # fmt: skip
