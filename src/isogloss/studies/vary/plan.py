"""Settings of the knobs x seeds: each an encoder of two languages, its untrained twin, and translations in both."""

from dataclasses import dataclass
from itertools import product

from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.chosen import named
from isogloss.studies.shared.meeting import Meeting, find_translations
from isogloss.studies.shared.models import Untrained
from isogloss.studies.shared.pretraining import Pretraining, find_text
from isogloss.studies.vary.config import Config

POOLS = ("hard", "test")  # retrieval where only content words tell, CKA on natural sentences
KINDS = ("unbiased",)


@dataclass(frozen=True)
class VaryCondition:
    """One encoder: the value of every knob and the seed; ``untrained`` is measured on the same sentences."""

    levels: tuple[str, ...]
    seed: int
    lab: str
    model: Pretraining
    trained: Meeting
    untrained: Meeting


def plan(config: Config) -> StudyPlan[Config, VaryCondition]:
    """Seeds x settings: a run that is stopped has whole comparisons."""
    settings = list(product(*config.grid().values()))
    return StudyPlan(config, tuple(_condition(config, one, seed) for seed in config.seeds for one in settings))


def _condition(config: Config, levels: tuple[str, ...], seed: int) -> VaryCondition:
    lab = config.world(dict(zip(config.grid(), levels, strict=True)), seed)
    texts = tuple(find_text(lab, code, config.sentences) for code in config.pair)
    model = Pretraining(config.pretraining().changed(seed=seed), texts)
    sentences = tuple(find_translations(lab, pool, config.pair, config.parallel_limit) for pool in POOLS)
    trained, untrained = (Meeting(one, sentences, KINDS, config.device) for one in (model, Untrained(model, seed)))
    return VaryCondition(levels, seed, lab, model, trained, untrained)


def named_encoder(config: Config, which: str, where: str) -> Pretraining:
    """The encoder of a run that ``VALUE,VALUE[/SEED]`` means (a value of every knob), the run's first unless named."""
    setting, _, seed = which.partition("/")
    settings = {",".join(one): one for one in product(*config.grid().values())}
    levels = named("setting of the knobs", setting, settings, where)
    return _condition(config, levels, named("seed", seed, {str(one): one for one in config.seeds}, where)).model
