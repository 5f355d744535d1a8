"""Fuse: does fusing a lower layer with the last one transfer better, and would one have known which (Chen22)?

result = fuse.run(fuse.Config(models=("bert-base-multilingual-cased",), tasks=(fuse.Setup("pos", ...),), source="en"))
result.frame()    # model, task, variant, layer, gate, branches, seed, target, data, group, measure, value, low, high, n
"""

from isogloss.studies.fuse.answer import QUESTION, summarise
from isogloss.studies.fuse.cells import Config, conditions, plan
from isogloss.studies.old_study import old_study
from isogloss.studies.shared.setups import Setup

__all__ = ["STUDY", "Config", "Setup", "conditions", "demo_config", "run"]

STUDY = old_study(name="fuse", question=QUESTION, config=Config, plan=plan, summarise=summarise)
run = STUDY.run


def demo_config(seed: int = 0, world: str = "twins") -> Config:
    """Small enough for a laptop's demo, on the lab's own encoder of ``world``: one task, one gate, three seeds."""
    lab = f"lab:{world}:{seed}"
    pos = Setup("pos", data=lab, limit=300, test_limit=150, settings={"epochs": 3})
    return Config(
        models=(f"lab:{world}",), tasks=(pos,), gates=("literal",), ablated=(), parallel=lab, parallel_limit=200,
        seeds=(seed, seed + 1, seed + 2), seed=seed,
    )  # fmt: skip
