"""The papers' presets at a minimal size: every condition that has a published number, real cells, one step each."""

from dataclasses import replace
from typing import Any

from isogloss.studies.study import get_study

ONE_STEP = {"epochs": 1, "precision": "float32"}
RECIPE = {
    "vocabulary.accept_fewer": True, "model.layers": 8, "model.heads": 1, "model.width": 4, "model.feedforward": 4,
    "data.length": 32, "data.draws": 1, "data.validation": 4, "training.steps": 1, "training.warmup": 1,
    "training.batch_tokens": 64, "training.compile": False, "training.precision": "fp32", "training.threads": 1,
    "training.validate_every": 1, "training.save_every": 1,
}  # fmt: skip


def configured(study: str, **given: Any) -> Any:
    """The ``paper`` preset, with settings as options of the command give them."""
    known = get_study(study)
    assert known.configure is not None
    return known.configure(preset="paper", **given)


def _one_step(setup: Any, **more: Any) -> Any:
    return replace(setup, settings={**setup.settings, **ONE_STEP}, **more)


def smaller_ablate() -> Any:
    """One seed, linear CKA on 24 sentences: every task, source, target and set of layers of the preset."""
    config = configured("ablate")
    tasks = tuple(_one_step(setup) for setup in config.tasks)
    return replace(config, tasks=tasks, seeds=(0,), similarity=("linear",), parallel_limit=24)


def smaller_fuse() -> Any:
    """One seed, the literal gate, no rivals (not in the paper): all models, tasks, layers and branches."""
    config = configured("fuse")
    tasks = tuple(_one_step(setup) for setup in config.tasks)
    return replace(config, tasks=tasks, gates=("literal",), rivals=False, seeds=(0,))


def smaller_preserve() -> Any:
    """One seed, one alpha, DensRay alone, no control without dropout, no drift."""
    config = configured("preserve")
    tasks = tuple(_one_step(setup) for setup in config.tasks)
    return replace(
        config, tasks=tasks, seeds=(0,), alphas=(0.02,), subspaces=("densray",), control=False, drift_tokens=0,
        tokens=40, text_languages=("en", "de", "zh", "fr"),
    )  # fmt: skip


def smaller_forget() -> Any:
    """One seed, one point per label and language, one clustering; MultiNLI's stand-in has thirty pairs."""
    config = configured("forget")
    pos, nli = (_one_step(setup) for setup in config.tasks)
    nli = replace(nli, train_part="train[:20]", validation_part="train[20:30]")
    return replace(
        config, tasks=(pos, nli), seeds=(0,), most=20, points={"words": 1, "texts": 1}, text_points=2, clusterings=1,
        controls=0,
    )  # fmt: skip


def smaller_locate() -> Any:
    """One seed, twelve languages, few dimensions: the model is 8 wide."""
    config = configured("locate")
    tagging = tuple(_one_step(setup, targets=("en", "de")) for setup in config.tagging)
    return replace(
        config, seeds=(0,), languages=("en", "de", "nl", "fr", "es", "it", "pt", "ru", "pl", "id", "jv", "tl"),
        tokens=40, train=60, test=20, pairs=4, sizes=(1, 2), window=2, windows=2, draws=2, size_draws=1,
        subset_size=3, subset_window=1, subset_windows=2, tagging=tagging, tagging_sizes=(0, 4),
    )  # fmt: skip


def smaller_emerge() -> Any:
    """A step of pretraining each: every pair, encoder and task of the preset, and the controls."""
    config = configured("emerge")
    tasks = tuple(_one_step(setup) for setup in config.tasks)
    return replace(config, tasks=tasks, settings={**config.settings, **RECIPE}, similarity=("linear",))


def smaller_align() -> Any:
    """One target, two layers, a step of pretraining each, task layers for parsing on the last one."""
    config = configured("align")
    pretraining = {**config.pretraining, **RECIPE, "model.layers": 2}
    return replace(
        config, targets=("fr",), tasks=(_one_step(config.tasks[1]),), pretraining=pretraining, sizes=(20,),
        test_limit=20, aligned=20, occurrences=80, layers="2", task_layers=1,
    )  # fmt: skip
