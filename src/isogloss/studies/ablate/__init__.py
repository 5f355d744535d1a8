"""Ablate: which pretrained layers carry transfer to other languages? Draw some anew, fine-tune, compare (Muller21).

result = ablate.run(ablate.Config(model="bert-base-multilingual-cased", sources=("en",), sets=("pairs",), ...))
result.frame()    # task, source, target, data, where, layers, seed, layer, measure, value, low, high, n
"""

from isogloss.studies.ablate.answer import QUESTION, summarise
from isogloss.studies.ablate.cells import Config, conditions, plan
from isogloss.studies.setups import Setup
from isogloss.studies.study import Study

__all__ = ["STUDY", "Config", "Setup", "conditions", "demo_config", "run"]

STUDY = Study(name="ablate", question=QUESTION, config=Config, plan=plan, summarise=summarise)
run = STUDY.run


def demo_config(seed: int = 0, world: str = "twins") -> Config:
    """Small enough for a demo, on the lab's own encoder of ``world``: one task, pairs of layers, three seeds."""
    lab = f"lab:{world}:{seed}"
    pos = Setup(
        "pos", data=f"{lab}/0", elsewhere={f"{lab}/1": ()}, limit=300, test_limit=150, settings={"epochs": 3}
    )  # fmt: skip
    return Config(
        model=f"lab:{world}", tasks=(pos,), sets=("pairs",), parallel=lab, parallel_limit=200,
        seeds=(seed, seed + 1, seed + 2), seed=seed,
    )  # fmt: skip
