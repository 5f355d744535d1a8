"""The fine-tunings of a transfer run: models x methods x seeds, and what each is called."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from isogloss.errors import IsoglossError
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.fine_tuning import preset_for
from isogloss.studies.shared.models import name_model, pretrained_with
from isogloss.studies.shared.setups import depth_of
from isogloss.studies.transfer.config import Config
from isogloss.tasks import get_task
from isogloss.transfer import Data, FineTune, Tuned, candidates, find_data
from isogloss.transfer.data import languages_of
from isogloss.transfer.method import require_languages
from isogloss.transfer.methods import format_methods, parse_methods
from isogloss.transfer.methods.layers import check_layers
from isogloss.transfer.presets_by_name import Preset, load_preset
from isogloss.transfer.search import change_settings


@dataclass(frozen=True)
class TransferCondition:
    """One fine-tuning of the plan and what tells it from the others; ``name`` is short, for tables and figures."""

    name: str
    model: str
    method: str
    seed: int
    preset: str  # of fine-tunings
    cell: FineTune | Tuned


def plan(config: Config) -> StudyPlan[Config, TransferCondition]:
    """Models x methods x seeds, in this order; the first model with the first method is the reference."""
    get_task(config.task, **config.options)  # a task that there is not is said first
    targets, found = tests(config), []
    for name in config.models:
        model = name_model(name, config.revision)
        preset_name = preset_for(model, config.preset)
        preset = load_preset(preset_name)
        if preset.task and preset.task != config.task:
            raise IsoglossError(f"preset '{preset_name}' is for task '{preset.task}'", remedy=f"--task {preset.task}")
        base = replace(_base(config, preset), model=model)
        for method in _methods(config, preset):
            check_layers(parse_methods(method), depth_of(model))
            for needing in (one for one in parse_methods(method) if one.needs_texts):
                require_languages([data.language for data in base.texts], needing.name)
            for seed, cell in _by_seed(config, preset, replace(base, method=method), targets):
                found.append(TransferCondition("", name, method, seed, preset_name, cell))
    names = condition_names([(one.model, one.method) for one in found])
    return StudyPlan(config, tuple(replace(one, name=name) for one, name in zip(found, names, strict=True)))


def _by_seed(
    config: Config, preset: Preset, base: FineTune, targets: tuple[Data, ...]
) -> Iterator[tuple[int, FineTune | Tuned]]:
    """A fine-tuning per seed, of the settings that a search finds, where there is one; seeds share it."""
    search = config.search or (preset.search if preset.draws else {})  # a preset with chosen values is not searched
    tried = candidates(base, search, config.draws or preset.draws) if search else ()
    for seed in config.seeds:
        model = pretrained_with(base.model, seed) if config.vary_pretraining else base.model
        if tried:
            mine = tuple(replace(one, model=model) for one in tried)
            yield seed, Tuned(mine, targets, seed, config.keep_model, config.keep_predictions)
        else:
            yield seed, replace(base, model=model, tests=targets, settings=replace(base.settings, seed=seed))


def condition_names(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """A name for each model and method: the model where there are several, the method where there are several or one
    model.
    """
    models, methods = (dict.fromkeys(parts) for parts in zip(*pairs, strict=True))
    short = _short(list(models))
    names = []
    for model, method in pairs:
        parts = [short[model]] if len(models) > 1 else []
        parts += [method] if len(methods) > 1 or len(models) == 1 else []
        names.append(", ".join(parts))
    return names


def _short(models: Sequence[str]) -> dict[str, str]:
    """The last part of each path; where two models would get one name, as many parts as tell all apart."""
    pieces = {model: model.rstrip("/").split("/") for model in models}
    longest = max(map(len, pieces.values()))
    for size in range(1, longest + 1):
        short = {model: "/".join(parts[-size:]) for model, parts in pieces.items()}
        short = {model: f"untrained:{name}" if _lost(model, name) else name for model, name in short.items()}
        if len(set(short.values())) == len(models):
            return short
    return {model: model for model in models}


def _lost(model: str, name: str) -> bool:
    return model.startswith("untrained:") and not name.startswith("untrained:")


def sources(config: Config) -> tuple[str, ...]:
    """The languages to fine-tune in; ``all`` stands for every one of the training data."""
    if config.sources == ("all",):
        return languages_of(config.data, config.task, config.train_part)
    return config.sources


def _methods(config: Config, preset: Preset) -> Iterator[str]:
    """The methods in one way of writing; a preset's method stands for ``plain``."""
    given = config.methods if config.methods != ("plain",) else (preset.method,)
    return (format_methods(parse_methods(method)) for method in given)


def _base(config: Config, preset: Preset) -> FineTune:
    """What all fine-tunings of a run have in common."""

    def of_sources(part: str, limit: int | None) -> tuple[Data, ...]:
        return tuple(
            find_data(config.data, config.task, code, part, limit, config.on_error) for code in sources(config)
        )

    return FineTune(
        task=config.task,
        options={**preset.options, **config.options},
        settings=change_settings(preset.settings, config.settings),
        train=of_sources(config.train_part, config.limit),
        validation=of_sources(config.validation_part, config.test_limit),
        texts=_texts(config),
        keep_model=config.keep_model,
        keep_predictions=config.keep_predictions,
    )


def tests(config: Config) -> tuple[Data, ...]:
    """The test part of every target, in every data set that has it; a target that none has is an error."""
    names = config.test_data or (config.data,)
    available = {name: languages_of(name, config.task, config.test_part) for name in names}
    wanted = config.targets or tuple(dict.fromkeys(code for codes in available.values() for code in codes))
    found = []
    for name in names:
        asked = wanted if len(names) == 1 else [code for code in wanted if code in available[name]]
        found += [
            find_data(name, config.task, code, config.test_part, config.test_limit, config.on_error) for code in asked
        ]
    missing = [code for code in config.targets if len(names) > 1 and code not in {data.language for data in found}]
    if missing:
        raise IsoglossError(
            f"no test data in '{missing[0]}'", where=", ".join(names), remedy="leave it out of --targets"
        )
    return tuple(found)


def _texts(config: Config) -> tuple[Data, ...]:
    if not config.texts:
        return ()
    languages = config.text_languages or languages_of(config.texts, "text", "train")
    return tuple(find_data(config.texts, "text", code, "train", config.text_limit) for code in languages)
