"""Pairs x treatments x seeds: each an encoder, the fine-tunings on it, and the translations compared in it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from isogloss.errors import IsoglossError
from isogloss.studies.emerge.config import Config, Pair, fill
from isogloss.studies.emerge.plan.encoders import Encoded, Encoders
from isogloss.studies.emerge.plan.treatments import DEFAULT, TREATMENTS, Treatment, check_depth, chosen_treatments
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.meeting import Meeting, Translations, find_translations
from isogloss.studies.shared.setups import Setup, check_setups
from isogloss.transfer import FineTune, candidates
from isogloss.transfer.presets_by_name import load_preset


@dataclass(frozen=True)
class EmergeCondition:
    """One encoder of the plan and everything that is measured of it; ``tried`` are the settings of a search."""

    pair: Pair
    treatment: Treatment
    seed: int
    model: Encoded
    meeting: Meeting | None
    tasks: tuple[tuple[Setup, FineTune], ...]
    tried: tuple[tuple[Setup, FineTune], ...] = ()


def plan(config: Config) -> StudyPlan[Config, EmergeCondition]:
    """Seeds x pairs x treatments: a run that is stopped has whole comparisons."""
    check(config)
    found = [one for seed in config.seeds for pair in config.pairs for one in _of_pair(config, pair, seed)]
    if config.search and not any(one.tried for one in found):
        raise IsoglossError(
            "no task's preset has a grid of settings to search",
            where="setting 'search'",
            remedy="name a preset with a grid for a task, such as wu20-ner, or leave out the search",
        )
    return StudyPlan(config, tuple(found))


def check(config: Config) -> None:
    """Refuse what cannot be planned."""
    check_setups(config.tasks)
    if len(set(config.text_pools)) < len(config.text_pools):
        raise IsoglossError(
            f"cka_part is '{config.cka_part}', which is one of 'pools' too",
            where="setting 'cka_part'",
            remedy="name another part of the text, or no cka_parallel",
        )
    chosen_treatments(config.conditions)
    depth = config.pretraining().model.layers
    for pair in config.pairs:
        chosen_treatments(pair.conditions, where=f"pair '{pair.label}'")
        check_depth(treatments_of(config, pair), depth)
        if pair.source == pair.target:
            raise IsoglossError(
                f"'{pair.source}' is paired with itself", where="setting 'pairs'", remedy="name two different languages"
            )
    labels = [pair.label for pair in config.pairs]
    for label in labels:
        if labels.count(label) > 1:
            raise IsoglossError(
                f"two pairs are called '{label}'", where="setting 'pairs'", remedy="give one of them a name"
            )


def treatments_of(config: Config, pair: Pair) -> tuple[Treatment, ...]:
    """The treatments of a pair: those that were asked for and that it has data for."""
    asked = tuple(name for name in pair.conditions if not config.conditions or name in config.conditions)
    wanted = chosen_treatments(asked or ((DEFAULT,) if pair.conditions else config.conditions))
    whole = config.pair(pair)
    lacking = {"domain": not whole.other_text, "extra-anchors": not whole.dictionary}
    return tuple(treatment for treatment in wanted if not lacking.get(treatment.name, False))


def _of_pair(config: Config, pair: Pair, seed: int) -> Iterator[EmergeCondition]:
    whole, encoders = config.pair(pair), Encoders(config, pair, seed)
    default = encoders.together(TREATMENTS[DEFAULT])
    setups = [_setup_of(setup, whole, seed).for_model(default) for setup in config.tasks]
    bases = [(setup, _fine_tuning(config, setup, whole, seed)) for setup in setups]
    texts = _translations(config, whole, seed)
    for treatment in treatments_of(config, pair):
        model = encoders.of(treatment)
        tasks = tuple((setup, replace(base, model=model, method=treatment.method)) for setup, base in bases)
        meeting = Meeting(model, texts, config.similarity, config.device) if texts else None
        tried = tuple((setup, one) for setup, cell in tasks for one in _grid(config, setup, cell))
        yield EmergeCondition(whole, treatment, seed, model, meeting, tasks, tried)


def _grid(config: Config, setup: Setup, cell: FineTune) -> tuple[FineTune, ...]:
    """The fine-tuning in every setting of its preset's grid, each tested: two of them are chosen afterwards, by their
    scores on the source's validation part.
    """
    space = load_preset(setup.preset).search if config.search else {}
    return tuple(replace(one, tests=cell.tests) for one in candidates(cell, space)) if space else ()


def _setup_of(setup: Setup, pair: Pair, seed: int) -> Setup:
    """A task with the data that it has for this pair and seed."""
    if setup.label in pair.data:
        setup = replace(setup, data=pair.data[setup.label], test_data="", validation_data="")
    test_data = fill(pair.test_data.get(setup.label, setup.test_data), seed)
    validation_data = fill(setup.validation_data, seed)
    return replace(setup, data=fill(setup.data, seed), test_data=test_data, validation_data=validation_data)


def _fine_tuning(config: Config, setup: Setup, pair: Pair, seed: int) -> FineTune:
    """A task's fine-tuning in the pair's source language, but for its model and method."""
    base = FineTune(**setup.fields(pair.source, config.device), tests=setup.tests(pair.source, (pair.target,)))
    return replace(base, settings=replace(base.settings, seed=seed))


def _translations(config: Config, pair: Pair, seed: int) -> tuple[Translations, ...]:
    if not pair.parallel:
        return ()
    name, codes = fill(pair.parallel, seed), (pair.source, pair.target)
    found = tuple(find_translations(name, pool, codes, config.parallel_limit) for pool in config.pools)
    if not config.cka_parallel:
        return found
    return (*found, find_translations(fill(config.cka_parallel, seed), config.cka_part, codes, config.parallel_limit))
