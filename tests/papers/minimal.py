"""The papers' presets at a minimal size: every condition that has a published number, real cells, one step each."""

from dataclasses import replace
from typing import Any

from isogloss.studies.shared.study_presets import load_study_preset
from isogloss.studies.study import get_study

ONE_STEP = {"epochs": 1, "precision": "float32"}
RECIPE = {
    "vocabulary.accept_fewer": True, "model.layers": 8, "model.heads": 1, "model.width": 4, "model.feedforward": 4,
    "data.length": 32, "data.draws": 1, "data.validation": 4, "training.steps": 1, "training.warmup": 1,
    "training.batch_tokens": 64, "training.compile": False, "training.precision": "fp32",
    "training.validate_every": 1, "training.save_every": 1,
}  # fmt: skip


def preset_of(study: str) -> Any:
    return load_study_preset(study, "paper", get_study(study).config)


def _one_step(setup: Any, **more: Any) -> Any:
    return replace(setup, settings={**setup.settings, **ONE_STEP}, **more)


def smaller_ablate() -> Any:
    """One seed, English alone, one pair of layers, tagging."""
    config = preset_of("ablate")
    (pos,) = [setup for setup in config.tasks if setup.label == "pos"]
    return replace(
        config, tasks=(_one_step(pos),), sources=("en",), sets=("1-2",), seeds=(0,), similarity=("linear",),
        parallel_limit=24,
    )  # fmt: skip


def smaller_fuse() -> Any:
    """One seed, mBERT alone, paraphrases, one fused layer, the literal gate, no rivals and no branches."""
    config = preset_of("fuse")
    (pairs,) = [setup for setup in config.tasks if setup.label == "paraphrase"]
    return replace(
        config, models=config.models[:1], tasks=(_one_step(pairs),), layers="6", gates=("literal",), ablated=(),
        rivals=False, seeds=(0,), parallel="",
    )  # fmt: skip


def smaller_preserve() -> Any:
    """One seed, one alpha, DensRay alone, no control without dropout, no drift."""
    config = preset_of("preserve")
    tasks = tuple(_one_step(setup) for setup in config.tasks)
    return replace(
        config, tasks=tasks, seeds=(0,), alphas=(0.02,), subspaces=("densray",), control=False, drift_tokens=0,
        tokens=40, text_languages=("en", "de", "zh", "fr"),
    )  # fmt: skip


def smaller_forget() -> Any:
    """One seed, one point per label and language, one clustering; MultiNLI's stand-in has thirty pairs."""
    config = preset_of("forget")
    pos, nli = (_one_step(setup) for setup in config.tasks)
    nli = replace(nli, train_part="train[:20]", validation_part="train[20:30]")
    return replace(
        config, tasks=(pos, nli), seeds=(0,), most=20, points={"words": 1, "texts": 1}, text_points=2, clusterings=1,
        controls=0,
    )  # fmt: skip


def smaller_locate() -> Any:
    """One seed, twelve languages, few dimensions: the model is 8 wide."""
    config = preset_of("locate")
    tagging = tuple(_one_step(setup, targets=("en", "de")) for setup in config.tagging)
    return replace(
        config, seeds=(0,), languages=("en", "de", "nl", "fr", "es", "it", "pt", "ru", "pl", "id", "jv", "tl"),
        tokens=40, train=60, test=20, pairs=4, sizes=(1, 2), window=2, windows=2, draws=2, size_draws=1,
        subset_size=3, subset_window=1, subset_windows=2, tagging=tagging, tagging_sizes=(0, 4),
    )  # fmt: skip


def smaller_emerge() -> Any:
    """French alone, two of the ten encoders, four layers, a step of pretraining each; no translations."""
    config = preset_of("emerge")
    return replace(
        config, pairs=config.pairs[:1], tasks=tuple(_one_step(setup) for setup in config.tasks),
        settings={**config.settings, **RECIPE, "model.layers": 4}, conditions=("default", "sep-emb-third"),
        parallel="", cka_parallel="",
    )  # fmt: skip


def smaller_align() -> Any:
    """One target, two layers, a step of pretraining each, task layers for parsing on the last one."""
    config = preset_of("align")
    pretraining = {**config.pretraining, **RECIPE, "model.layers": 2}
    return replace(
        config, targets=("fr",), tasks=(_one_step(config.tasks[1]),), pretraining=pretraining, sizes=(20,),
        test_limit=20, aligned=20, occurrences=80, layers="2", task_layers=1,
    )  # fmt: skip
