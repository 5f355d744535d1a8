"""The cells of a study of forgetting: fine-tunings by condition and seed, and what is measured of each."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from isogloss.errors import IsoglossError, unknown_name
from isogloss.runs import Cell
from isogloss.studies.forget.cells import TASK, TEXT, Clusters, Maps
from isogloss.studies.forget.config import Config, Setup
from isogloss.studies.forget.texts import Texts, find_texts
from isogloss.studies.shared.fine_tuning import REAL
from isogloss.studies.shared.models import Model, name_model
from isogloss.studies.shared.setups import check_setups
from isogloss.tasks import get_task
from isogloss.transfer import Data, FineTune, Identify, Settings, Tuned, candidates
from isogloss.transfer.methods import LDAR, Entropy, Linear, Reversal, Subspace, format_methods, parse_methods
from isogloss.transfer.preset_files import load_preset

NEED_TEXTS = (Reversal, Entropy, LDAR, Subspace)
KINDS = ("words", "texts")  # of points


@dataclass(frozen=True)
class Condition:
    """One fine-tuning, the probes and clusters of its states, and the maps that it is part of."""

    setup: Setup
    name: str
    method: str
    seed: int
    cell: FineTune | Tuned
    identify: Identify
    clusters: Clusters

    @cached_property
    def home(self) -> str:
        """The source language under the code of its data."""
        return (self.cell.candidates[0] if isinstance(self.cell, Tuned) else self.cell).sources[0]


def plan(config: Config) -> Sequence[Cell[Any]]:
    """Everything that the answer reads; fine-tunings come along as what these need."""
    found = conditions(config)
    return [cell for one in found for cell in (one.identify, one.clusters)] + list(maps(config, found).values())


def maps(config: Config, found: Sequence[Condition]) -> dict[str, Maps]:
    """Task -> the maps of all its conditions, at the first seed."""
    shown = {
        setup.label: [one for one in found if one.setup.label == setup.label and one.seed == config.seeds[0]]
        for setup in config.tasks
    }
    return {
        task: Maps(tuple(one.name for one in mine), tuple(one.clusters for one in mine)) for task, mine in shown.items()
    }


def conditions(config: Config) -> list[Condition]:
    """Tasks x conditions x seeds."""
    check(config)
    model = name_model(config.model, config.revision, config.seed)
    found = []
    for setup in (one.for_model(model) for one in config.tasks):
        tests = setup.tests(config.source, config.targets)
        texts = find_texts(config, [data.language for data in tests])
        for name in config.conditions:
            found += _of_condition(config, setup, name, model, tests, texts)
    return found


def check(config: Config) -> None:
    """Mistakes that no cell should run into."""
    check_setups(config.tasks)
    for what, given in (("condition", config.conditions), ("seed", config.seeds)):
        if not given:
            raise IsoglossError(f"no {what} is given", where=f"setting '{what}s'")
    for kind in config.points:
        if kind not in KINDS:
            raise unknown_name("kind of points", kind, KINDS, where="setting 'points'")
    for setup in config.tasks:
        for name in setup.presets:
            if name not in config.conditions:
                raise unknown_name("condition", name, config.conditions, where=f"presets of task '{setup.label}'")
    known = {name for setup in config.tasks for one in config.conditions for name in searchable(setup, one, config)}
    for name in config.search:
        if name not in known:
            raise unknown_name("setting", name, known, where="setting 'search'")


def method_of(setup: Setup, name: str, config: Config) -> str:
    """The method of a condition in one way of writing; an empty one is that of the task's preset."""
    written = config.conditions[name] or load_preset(setup.presets.get(name, setup.preset) or REAL).method
    return format_methods(parse_methods(written))


def searchable(setup: Setup, name: str, config: Config) -> set[str]:
    """The settings that mean something to a condition: a frozen encoder has no rate, only reversal has a strength."""
    methods = parse_methods(method_of(setup, name, config))
    own = {field.name for field in fields(Settings)}
    if any(isinstance(method, Linear) for method in methods):
        own.discard("encoder_rate")
    return own | {field.name for method in methods for field in fields(method)}


def _of_condition(
    config: Config, setup: Setup, name: str, model: Model, tests: tuple[Data, ...], texts: Texts
) -> list[Condition]:
    chosen = replace(setup, preset=setup.presets.get(name, setup.preset))
    method = method_of(setup, name, config)
    needs = any(isinstance(one, NEED_TEXTS) for one in parse_methods(method))
    base = FineTune(
        model=model, method=method, texts=texts.train if needs else (), **chosen.fields(config.source, config.device)
    )
    base = replace(base, settings=replace(base.settings, seed=config.seeds[0]))
    space = {key: values for key, values in config.search.items() if key in searchable(setup, name, config)}
    draws = config.draws if setup.draws is None else setup.draws
    tried = candidates(base, space, draws) if draws and space else ()
    own = tuple(data for data in tests if data.name == (setup.test_data or setup.data))  # not what is elsewhere
    words = get_task(setup.task, **setup.task_options).reading == "words"
    points = Config().points | config.points
    found = []
    for seed in config.seeds:
        cell: FineTune | Tuned = replace(
            base, tests=tests, settings=replace(base.settings, seed=seed), keep_model=True
        )  # fmt: skip
        if tried:
            cell = Tuned(tried, tests, seed, keep_model=True)
        identify = Identify(cell, texts.train, {TASK: own, TEXT: texts.tests}, config.most, config.controls)
        clusters = Clusters(
            cell, own, texts.tests, points["words" if words else "texts"], config.text_points, config.clusterings
        )
        found.append(Condition(setup, name, method, seed, cell, identify, clusters))
    return found
