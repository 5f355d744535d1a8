"""The cells of a study of forgetting: fine-tunings by condition and seed, and what is measured of each; and the text
on which languages are told apart."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

from isogloss.corpora import load_corpus
from isogloss.corpora.catalog import TEXT as PLAIN_TEXT
from isogloss.corpora.corpus import part_name
from isogloss.errors import IsoglossError, unknown_name
from isogloss.languages import language
from isogloss.studies.forget.cells import TASK, TEXT, Clusters, Maps
from isogloss.studies.forget.config import Config, ForgetSetup
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.fine_tuning import REAL
from isogloss.studies.shared.models import Model, name_model, pretrained_with
from isogloss.studies.shared.setups import check_setups
from isogloss.tasks import get_task
from isogloss.transfer import Data, FineTune, Identify, Settings, Tuned, candidates, find_data
from isogloss.transfer.methods import Linear, format_methods, parse_methods
from isogloss.transfer.presets_by_name import load_preset

KINDS = ("words", "texts")  # of points


@dataclass(frozen=True)
class ForgetTexts:
    """The same languages twice."""

    train: tuple[Data, ...]
    tests: tuple[Data, ...]


@dataclass(frozen=True)
class ForgetCondition:
    """One fine-tuning, the probes and clusters of its states, and the maps of all conditions of its task."""

    setup: ForgetSetup
    name: str
    method: str
    seed: int
    cell: FineTune | Tuned
    identify: Identify
    clusters: Clusters
    maps: Maps | None = None

    @cached_property
    def home(self) -> str:
        """The source language under the code of its data."""
        return (self.cell.candidates[0] if isinstance(self.cell, Tuned) else self.cell).sources[0]


def plan(config: Config) -> StudyPlan[Config, ForgetCondition]:
    """Tasks x conditions x seeds; maps are of the first seed."""
    check(config)
    model = name_model(config.model, config.revision, config.seed)
    found = []
    for setup in (one.for_model(model) for one in config.tasks):
        tests = setup.tests(config.source, config.targets)
        texts = find_texts(config, [data.language for data in tests])
        mine = [one for name in config.conditions for one in _of_condition(config, setup, name, model, tests, texts)]
        shown = [one for one in mine if one.seed == config.seeds[0]]
        maps = Maps(tuple(one.name for one in shown), tuple(one.clusters for one in shown))
        found += [replace(one, maps=maps) for one in mine]
    return StudyPlan(config, tuple(found))


def check(config: Config) -> None:
    """Mistakes that no cell should run into."""
    check_setups(config.tasks)
    if not config.conditions:
        raise IsoglossError("no condition is given", where="setting 'conditions'", remedy="name at least one condition")
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


def method_of(setup: ForgetSetup, name: str, config: Config) -> str:
    """The method of a condition in one way of writing; an empty one is that of the task's preset."""
    written = config.conditions[name] or load_preset(setup.presets.get(name, setup.preset) or REAL).method
    return format_methods(parse_methods(written))


def searchable(setup: ForgetSetup, name: str, config: Config) -> set[str]:
    """The settings that mean something to a condition: a frozen encoder has no rate, only reversal has a strength."""
    methods = parse_methods(method_of(setup, name, config))
    own = {field.name for field in fields(Settings)}
    if any(isinstance(method, Linear) for method in methods):
        own.discard("encoder_rate")
    return own | {field.name for method in methods for field in fields(method)}


def _of_condition(
    config: Config, setup: ForgetSetup, name: str, model: Model, tests: tuple[Data, ...], texts: ForgetTexts
) -> list[ForgetCondition]:
    chosen = replace(setup, preset=setup.presets.get(name, setup.preset))
    method = method_of(setup, name, config)
    needs = any(one.needs_texts for one in parse_methods(method))
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
        encoder = pretrained_with(model, seed) if config.vary_pretraining else model
        settings = replace(base.settings, seed=seed)
        cell: FineTune | Tuned = replace(base, model=encoder, tests=tests, settings=settings, keep_model=True)
        if tried:
            cell = Tuned(tuple(replace(one, model=encoder) for one in tried), tests, seed, keep_model=True)
        sets = {TASK: own, TEXT: texts.tests}
        identify = Identify(cell, texts.train, sets, config.most, config.controls, config.units)
        clusters = Clusters(
            cell, own, texts.tests, points["words" if words else "texts"], config.text_points, config.clusterings
        )
        found.append(ForgetCondition(setup, name, method, seed, cell, identify, clusters))
    return found


def find_texts(config: Config, tested: Sequence[str]) -> ForgetTexts:
    """The text in the languages named, or in those of the tests that it has."""
    corpus = load_corpus(config.texts, PLAIN_TEXT)
    shared = [code for code in dict.fromkeys(tested) if code in corpus.languages]
    languages = tuple(dict.fromkeys(language(code).code for code in config.text_languages)) or tuple(shared)
    if len(languages) < 2:
        raise IsoglossError(
            f"this text has {len(languages)} of the tested languages ({', '.join(dict.fromkeys(tested))})",
            where=config.texts,
            remedy="name text in two or more of them (--texts), or its languages (--text-languages)",
        )
    if corpus.parts == ("",) and part_name(config.text_part) == "train":
        return _cut_rows(config, languages)
    parts = ((config.text_part, config.text_limit), (config.text_test_part, config.text_test_limit))
    train, tests = (tuple(find_data(config.texts, "text", code, *part) for code in languages) for part in parts)
    return ForgetTexts(train, tests)


def _cut_rows(config: Config, languages: Sequence[str]) -> ForgetTexts:
    """Text without parts: the first rows of each language to learn from, the next ones to test on."""
    end = config.text_limit + config.text_test_limit
    whole = [find_data(config.texts, "text", code, f"[:{end}]") for code in languages]
    for data in whole:
        if (size := len(data.read())) <= config.text_limit:
            raise IsoglossError(
                f"only {size:,} texts in '{data.language}', none is left to test on",
                where=config.texts,
                remedy=f"learn from fewer: --text-limit {max(1, size * 4 // 5)}",
            )
    return ForgetTexts(
        tuple(replace(data, part=f"[:{config.text_limit}]") for data in whole),
        tuple(replace(data, part=f"[{config.text_limit}:{end}]") for data in whole),
    )
