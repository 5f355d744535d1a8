"""Emerge: what makes languages meet inside one encoder (Wu20 Table 1, Fig. 3)?

result = emerge.run(emerge.Config(pairs=(emerge.Pair("en", "fr"),), text="wiki", other_text="cc", recipe="laptop", ...))
result.frame()   # pair, condition, seed, task, role, target, measure, pool, layer, value, low, high, n
"""

from isogloss.studies.emerge.answer import QUESTION, summarise
from isogloss.studies.emerge.config import Config, Pair
from isogloss.studies.emerge.naming import named_encoder
from isogloss.studies.emerge.plan import plan, trials
from isogloss.studies.old_study import old_study
from isogloss.studies.shared.setups import Setup

__all__ = ["STUDY", "Config", "Pair", "Setup", "demo_config", "run", "trials"]

STUDY = old_study(
    name="emerge", question=QUESTION, config=Config, plan=plan, summarise=summarise, encoder=named_encoder
)
run = STUDY.run
STEPS = {"demo": 400, "tiny": 20}


def demo_config(seed: int = 0, size: str = "demo") -> Config:
    """Small enough for a laptop's demo: one pair, one task, three conditions, one seed, short pretraining."""
    steps = STEPS[size]
    lab = f"lab:neighbours:{seed}"
    pos = Setup("pos", data=lab, limit=200, test_limit=150, settings={"epochs": 2})
    return Config(
        pairs=(Pair("qaa", "qab", name="sisters"),),
        conditions=("default", "sep-emb-most", "untrained"),
        tasks=(pos,),
        text=lab,
        other_text="",
        dictionary="",
        sentences=40 * steps,
        parallel=lab,
        parallel_limit=300 if size == "demo" else 60,
        pools=("hard", "test"),
        settings={"training.steps": steps, "training.warmup": max(1, steps // 20), "training.validate_every": steps,
                  "training.save_every": steps},
        seeds=(seed,),
    )  # fmt: skip
