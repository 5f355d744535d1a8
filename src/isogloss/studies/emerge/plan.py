"""The plan: for every pair, condition and seed a pretraining, the fine-tunings on it, and how its languages meet."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from isogloss.corpora import load_dictionary
from isogloss.corpora.labdata import is_lab
from isogloss.pretrain import Recipe
from isogloss.runs import Cell
from isogloss.studies.emerge.conditions import APART, DEFAULT, MONOLINGUAL, UNTRAINED, Condition, chosen_conditions
from isogloss.studies.emerge.config import Config, Pair, check, fill
from isogloss.studies.emerge.meeting import Meeting, Translations, find_translations
from isogloss.studies.shared.fine_tuning import preset_for_text
from isogloss.studies.shared.models import Untrained
from isogloss.studies.shared.pretraining import Apart, Pretraining, Words
from isogloss.studies.shared.setups import Setup
from isogloss.transfer import Data, FineTune, find_data

# Only shared parts learn; where nothing is shared, only the head does.
METHODS = {APART: "separate+linear", MONOLINGUAL: "plain", UNTRAINED: "plain"}
Encoded = Pretraining | Apart | Untrained


@dataclass(frozen=True)
class Trial:
    """One encoder of the plan and everything that is measured of it."""

    pair: Pair
    condition: Condition
    seed: int
    model: Encoded
    tasks: tuple[tuple[Setup, FineTune], ...]
    meeting: Meeting | None

    @property
    def cells(self) -> tuple[Cell[Any], ...]:
        more = () if self.meeting is None else (self.meeting,)
        return (self.model, *more, *(cell for _, cell in self.tasks))


def plan(config: Config) -> Sequence[Cell[Any]]:
    """All cells, seed by seed, so that a run that is stopped has whole comparisons."""
    return [cell for trial in trials(config) for cell in trial.cells]


def trials(config: Config) -> list[Trial]:
    """Seeds x pairs x conditions."""
    check(config)
    return [trial for seed in config.seeds for pair in config.pairs for trial in _of_pair(config, pair, seed)]


def _of_pair(config: Config, pair: Pair, seed: int) -> Iterator[Trial]:
    whole, models = config.pair(pair), Models(config, pair, seed)
    bases = [(setup, _base(config, whole, setup, seed)) for setup in config.tasks]
    texts = _translations(config, whole, seed)
    for condition in config.conditions_of(pair):
        model = models.of(condition)
        method = METHODS.get(condition.name, "separate")
        tasks = tuple((setup, replace(base, model=model, method=method)) for setup, base in bases)
        meeting = Meeting(model, texts, config.similarity, config.device) if texts else None
        yield Trial(whole, condition, seed, model, tasks, meeting)


class Models:
    """The encoders of one pair and seed."""

    def __init__(self, config: Config, pair: Pair, seed: int) -> None:
        self.recipe, self.pair, self.seed, self.limit = config.pretraining(), config.pair(pair), seed, config.sentences

    def of(self, condition: Condition) -> Encoded:
        """The encoder of a condition."""
        if condition.name == MONOLINGUAL:
            return self.alone(self.source)
        if condition.name == APART:
            return Apart((self.alone(self.source), self.alone(self.target)))
        if condition.name == UNTRAINED:
            (default,) = chosen_conditions((DEFAULT,))
            return Untrained(self.together(default), self.seed)
        return self.together(condition)

    def together(self, condition: Condition) -> Pretraining:
        """Both languages in one pretraining."""
        target = self._text(self.pair.other_text, self.pair.target) if condition.other_domain else self.target
        words = self.dictionaries() if condition.switched else ()
        return Pretraining(condition.change(self.recipe, self.seed), (self.source, target), words)

    def alone(self, text: Data) -> Pretraining:
        """One language, with its share of the steps and of the vocabulary."""
        return Pretraining(halved(self.recipe, text.language).changed(seed=self.seed), (text,))

    @property
    def source(self) -> Data:
        return self._text(self.pair.text, self.pair.source)

    @property
    def target(self) -> Data:
        return self._text(self.pair.target_text or self.pair.text, self.pair.target)

    def dictionaries(self) -> tuple[Words, ...]:
        """Both directions."""
        name, codes = fill(self.pair.dictionary, self.seed), (self.source.language, self.target.language)
        return tuple(_words(name, *pair) for pair in (codes, codes[::-1]))

    def _text(self, name: str, language: str) -> Data:
        return _find_text(fill(name, self.seed), language, self.limit)


def halved(recipe: Recipe, language: str) -> Recipe:
    """The recipe for one of two languages: half the steps, so that it is read as often, and half the vocabulary."""
    training, vocabulary = recipe.training, recipe.vocabulary
    return recipe.changed(
        training={
            "steps": max(1, training.steps // 2),
            "warmup": training.warmup // 2,
            "best_by": None if training.best_by is None else language,
        },
        vocabulary={"size": vocabulary.size // 2} if vocabulary.size_a_language is None else {},
    )


@lru_cache(maxsize=64)
def _find_text(name: str, language: str, limit: int | None) -> Data:
    return find_data(name, "text", language, "train" if is_lab(name) else "", limit)


@lru_cache(maxsize=64)
def _words(name: str, source: str, target: str) -> Words:
    return Words(name, source, target, load_dictionary(name, source, target).revision)


def _base(config: Config, pair: Pair, setup: Setup, seed: int) -> FineTune:
    """A task's fine-tuning in the pair's source language, but for its model and method."""
    data = pair.data.get(setup.label, setup.data)
    test_data = pair.test_data.get(setup.label, "" if setup.label in pair.data else setup.test_data)
    named = replace(
        setup,
        data=fill(data, seed),
        test_data=fill(test_data, seed),
        validation_data="" if setup.label in pair.data else fill(setup.validation_data, seed),
        preset=preset_for_text(fill(pair.text, seed), setup.preset),
    )
    base = FineTune(**named.fields(pair.source, config.device), tests=named.tests(pair.source, (pair.target,)))
    return replace(base, settings=replace(base.settings, seed=seed))


def _translations(config: Config, pair: Pair, seed: int) -> tuple[Translations, ...]:
    if not pair.parallel:
        return ()
    name, codes = fill(pair.parallel, seed), (pair.source, pair.target)
    return tuple(find_translations(name, pool, codes, config.parallel_limit) for pool in config.pools)
