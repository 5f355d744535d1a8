"""The settings of a transfer run, and the fine-tunings they stand for."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from isogloss.bounds import Count, Limit, Names, Seeds, SomeNames
from isogloss.errors import IsoglossError
from isogloss.runs import Cell
from isogloss.studies.shared.fine_tuning import preset_for
from isogloss.studies.shared.models import name_model
from isogloss.studies.shared.setups import depth_of
from isogloss.tasks import get_task
from isogloss.transfer import Data, FineTune, Tuned, candidates, find_data
from isogloss.transfer.data import languages_of
from isogloss.transfer.methods import format_methods, parse_methods
from isogloss.transfer.methods.layers import check_layers
from isogloss.transfer.presets_by_name import Preset, load_preset
from isogloss.transfer.search import change_settings


@dataclass(frozen=True)
class Config:
    """What is fine-tuned, on what, how, and where it is tested. Methods and models are compared with the first one.

    ``settings`` change those of ``preset``. ``search`` maps settings to the values to try on the source's validation
    part. Without ``targets`` every language of the test data is one. ``families`` (language to family) are WALS's, or
    the lab's own, unless given.
    """

    task: str = "pos"
    models: SomeNames = ("lab:families",)
    methods: SomeNames = ("plain",)
    sources: SomeNames = ("qaa",)
    targets: Names = ()
    data: str = "lab:families"
    test_data: Names = ()
    train_part: str = "train"
    validation_part: str = "dev"
    test_part: str = "test"
    limit: Limit | None = None
    test_limit: Limit | None = None
    texts: str = ""
    text_languages: Names = ()
    text_limit: Limit = 2000
    preset: str = ""  # of fine-tunings: as each model needs, unless named
    options: dict[str, Any] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)
    search: dict[str, list[Any]] = field(default_factory=dict)
    draws: Count | None = None
    seeds: Seeds = (0,)
    on_error: Literal["raise", "skip"] = "raise"
    families: dict[str, str] = field(default_factory=dict)
    keep_model: bool = False
    keep_predictions: bool = True
    revision: str | None = None


@dataclass(frozen=True)
class Condition:
    """One fine-tuning of the plan and what tells it from the others."""

    model: str
    method: str
    seed: int
    cell: FineTune | Tuned


def plan(config: Config) -> Sequence[Cell[Any]]:
    """All fine-tunings."""
    return [condition.cell for condition in conditions(config)]


def conditions(config: Config) -> list[Condition]:
    """Models x methods x seeds, in this order."""
    targets, found = tests(config), []
    for name in config.models:
        model = name_model(name, config.revision)
        preset = load_preset(preset_for(model, config.preset))
        _check(config, preset)
        base = _base(config, preset)
        search = config.search or (preset.search if preset.draws else {})  # a preset with chosen values is not searched
        for method in _methods(config, preset):
            mine = replace(base, model=model, method=method)
            check_layers(parse_methods(method), depth_of(model, config.revision))
            tried = candidates(mine, search, config.draws or preset.draws) if search else ()
            for seed in config.seeds:
                cell: FineTune | Tuned = replace(mine, tests=targets, settings=replace(mine.settings, seed=seed))
                if tried:
                    cell = Tuned(tried, targets, seed, config.keep_model, config.keep_predictions)
                found.append(Condition(name, method, seed, cell))
    return found


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


def _check(config: Config, preset: Preset) -> None:
    get_task(config.task, **config.options)
    if preset.task and preset.task != config.task:
        raise IsoglossError(f"preset '{config.preset}' is for task '{preset.task}'", remedy=f"--task {preset.task}")
    for what, given in (("source", config.sources), ("seed", config.seeds), ("model", config.models)):
        if not given:
            raise IsoglossError(f"no {what} is given", where="transfer", remedy=f"name one with --{what}")
