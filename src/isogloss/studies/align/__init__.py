"""Align: can encoders trained apart, with nothing in common, be aligned afterwards (Wu20 section 5)?

result = align.run(align.Config(source="en", targets=("fr",), models={"en": "./bert-en", "fr": "./bert-fr"}, ...))
result.frame()    # level, kind, source, target, seed, task, what, layer, size, measure, value, low, high, n
"""

from isogloss.studies.align.answer import QUESTION, summarise
from isogloss.studies.align.config import Config
from isogloss.studies.align.plan import plan
from isogloss.studies.old_study import old_study
from isogloss.studies.shared.setups import Setup

__all__ = ["STUDY", "Config", "Setup", "demo_config", "run"]

STUDY = old_study(name="align", question=QUESTION, config=Config, plan=plan, summarise=summarise)
run = STUDY.run


def demo_config(seed: int = 0, size: str = "demo") -> Config:
    """Small enough for a demo: two languages of the lab, one seed, tagging on three layers."""
    lab = f"lab:neighbours:{seed}"
    tiny = size == "tiny"
    steps, sentences, epochs = (20, 60, 1) if tiny else (150, 300, 4)
    settings = {"epochs": epochs, "batch": 16, "head_rate": 1e-3}
    pos = Setup("pos", data=lab, limit=sentences, test_limit=sentences // 2, settings=settings)
    return Config(
        text=lab,
        sentences=600 if tiny else 12_000,
        pretraining={"training.steps": steps, "training.warmup": steps // 20},
        together=1.0,
        dictionary=lab,
        occurrences=500 if tiny else 2_000,
        alignments=lab,
        aligned=100 if tiny else 500,
        tasks=(pos,),
        layers="0,2,4",
        parallel=lab,
        test_parallel=lab,
        sizes=(100,) if tiny else (100, 1_000),
        test_limit=60 if tiny else 300,
        seeds=(seed,),
    )
