"""The fine-tunings of an ablation, with and without layers re-initialised, and the similarities after each."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from isogloss.corpora.parallel_sentences import find_sentences
from isogloss.errors import IsoglossError
from isogloss.studies.ablate.cells import Ablation, Pretrained
from isogloss.studies.ablate.config import Config
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.models import Model, name_model, pretrained_with
from isogloss.studies.shared.setups import Setup, check_setups, depth_of
from isogloss.transfer import Tuned, candidates
from isogloss.transfer.methods.layer_sets import layer_sets
from isogloss.transfer.presets_by_name import load_preset

REFERENCE = "none"  # no layer re-initialised: the model as it is


@dataclass(frozen=True)
class AblateCondition:
    """One fine-tuning of the plan: which task and source, which layers were re-initialised, which seed."""

    setup: Setup
    source: str
    layers: str
    seed: int
    cell: Ablation | Tuned
    pretrained: Pretrained | None

    @property
    def names(self) -> dict[str, Any]:
        """What tells it from the others in a frame."""
        return {"task": self.setup.label, "source": self.source, "condition": self.layers, "seed": self.seed}


def plan(config: Config) -> StudyPlan[Config, AblateCondition]:
    """Tasks x sources x sets of layers x seeds, the reference first."""
    check_setups(config.tasks)
    if config.parallel and not config.similarity:
        raise IsoglossError("no kind of CKA is given", where="setting 'similarity'", remedy="similarity: [linear]")
    model = name_model(config.model, config.revision, config.seed)
    sets = (REFERENCE, *layer_sets(config.sets, depth_of(model)))
    found = []
    for setup in (one.for_model(model) for one in config.tasks):
        for source in setup.sources or config.sources:
            found += _from_source(config, setup, source, model, sets)
    return StudyPlan(config, tuple(found))


def _from_source(config: Config, setup: Setup, source: str, model: Model, sets: Sequence[str]) -> list[AblateCondition]:
    tests = setup.tests(source, config.targets)
    base = Ablation(model=model, **setup.fields(source, config.device))
    home = base.sources[0]
    sentences = find_sentences(config.parallel, config.parallel_limit, home, [data.language for data in tests])
    models = {seed: pretrained_with(model, seed) if config.vary_pretraining else model for seed in config.seeds}
    before = {
        seed: Pretrained(one, sentences, home, config.similarity, config.device) if sentences else None
        for seed, one in models.items()
    }
    found = []
    for layers in sets:
        method = "plain" if layers == REFERENCE else f"random-init:{layers}".removesuffix(":all")
        mine = replace(base, method=method, sentences=sentences, kinds=config.similarity if sentences else ())
        space = load_preset(setup.preset).search
        tried = candidates(mine, space) if config.search and space else ()
        for seed in config.seeds:
            own, settings = models[seed], replace(mine.settings, seed=seed)
            cell: Ablation | Tuned = replace(mine, model=own, tests=tests, settings=settings)
            if tried:
                cell = Tuned(tuple(replace(one, model=own) for one in tried), tests, seed)
            found.append(AblateCondition(setup, source, layers, seed, cell, before[seed]))
    return found
