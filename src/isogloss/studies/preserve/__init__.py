"""Preserve: does keeping language-specific states where pretraining left them help transfer (Liang21 App. B)?

result = preserve.run(preserve.Config(model="bert-base-multilingual-cased", tasks=(preserve.Setup("pos", ...),), ...))
result.frame()    # task, source, condition, layers, subspace, alpha, seed, target, data, layer, measure, value
"""

from dataclasses import replace

from isogloss.studies.old_study import old_study
from isogloss.studies.preserve.answer import QUESTION, summarise
from isogloss.studies.preserve.cells import Config, conditions, plan
from isogloss.studies.shared.setups import Setup

__all__ = ["STUDY", "Config", "Setup", "conditions", "demo_config", "run"]

STUDY = old_study(name="preserve", question=QUESTION, config=Config, plan=plan, summarise=summarise)
run = STUDY.run


def demo_config(seed: int = 0, size: str = "demo") -> Config:
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
