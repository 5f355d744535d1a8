"""The fine-tunings of L-DAR: the baseline, the same without dropout, and every layer set, subspace and alpha."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from isogloss.corpora.labdata import is_lab
from isogloss.corpora.text_by_language import LAB_PART, Texts, read_texts
from isogloss.errors import IsoglossError
from isogloss.studies.plan import StudyPlan
from isogloss.studies.preserve.cells import Preserving
from isogloss.studies.preserve.config import Config
from isogloss.studies.shared.gather import Gather
from isogloss.studies.shared.models import Model, name_model, pretrained_with
from isogloss.studies.shared.setups import Setup, check_setups, depth_of
from isogloss.transfer import Data, find_data
from isogloss.transfer.methods import LDAR, format_methods
from isogloss.transfer.methods.layer_sets import layer_sets

BASELINE, STILL, REGULARISED = "baseline", "no dropout", "L-DAR"
NAMES = {"densray": "DensRay", "lda": "LDA"}


@dataclass(frozen=True)
class PreserveVariant:
    """What is held: nothing (baseline, and the same without dropout), or the subspace of some layers by ``alpha``."""

    condition: str
    method: str = "plain"
    layers: str = ""
    subspace: str = ""
    alpha: float = 0.0


@dataclass(frozen=True)
class PreserveCondition:
    """One fine-tuning of the plan."""

    setup: Setup
    source: str
    variant: PreserveVariant
    seed: int
    cell: Preserving

    @property
    def names(self) -> dict[str, Any]:
        """What tells it from the others in a frame."""
        told = {name: value for name, value in asdict(self.variant).items() if name != "method"}
        return {"task": self.setup.label, "source": self.source, **told, "seed": self.seed}


def plan(config: Config) -> StudyPlan[Config, PreserveCondition]:
    """Tasks x sources x variants x seeds, the baseline first."""
    check_setups(config.tasks)
    model = name_model(config.model, config.revision, config.seed)
    chosen = list(variants(config, depth_of(model)))
    texts = read_texts(config.texts, config.text_languages, config.text_limit)
    to_fit_on = _text_data(config, texts)
    encoders = {seed: pretrained_with(model, seed) if config.vary_pretraining else model for seed in config.seeds}
    found = []
    for setup in (one.for_model(model) for one in config.tasks):
        for source in setup.sources or config.sources:
            fields = _fields(setup, source, config)
            base = Preserving(model=model, drift_tokens=config.drift_tokens, **fields)
            for variant in chosen:
                mine = replace(base, method=variant.method, texts=to_fit_on if variant.layers else ())
                for seed in config.seeds:
                    settings = replace(base.settings, encoder_dropout=variant.condition != STILL, seed=seed)
                    space = _space(config, encoders[seed], texts)
                    cell = replace(mine, model=encoders[seed], space=space, settings=settings)
                    found.append(PreserveCondition(setup, source, variant, seed, cell))
    return StudyPlan(config, tuple(found))


def variants(config: Config, depth: int) -> Iterator[PreserveVariant]:
    """The baseline, its control, and L-DAR by subspace, layers and alpha."""
    yield PreserveVariant(BASELINE)
    if config.control:
        yield PreserveVariant(STILL)
    first, *others = config.subspaces
    sets = layer_sets(config.layers, depth, "layers")
    held = [(first, layers) for layers in sets] + [(kind, sets[0]) for kind in others]
    for kind, layers in held:
        name = REGULARISED + ("" if kind == first else f" {NAMES[kind]}")
        name += "" if layers == "all" else f" layers {layers}"
        for alpha in dict.fromkeys(config.alphas):
            method = LDAR(
                alpha, layers, config.dims, kind, config.weights, config.tokens, config.over, config.renormalise
            )
            yield PreserveVariant(name, format_methods((method,)), layers, kind, alpha)


def _fields(setup: Setup, source: str, config: Config) -> dict[str, Any]:
    """What every fine-tuning from ``source`` is made of; several languages are put one after the other."""
    codes = [code.strip() for code in source.split("+") if code.strip()]
    if not codes:
        raise IsoglossError(f"'{source}' names no language", where="setting 'sources'", remedy="as in en or en+de+zh")
    parts = [setup.fields(code, config.device) for code in codes]
    joined = {name: tuple(data for part in parts for data in part[name]) for name in ("train", "validation")}
    wanted = setup.targets or config.targets
    tested = replace(setup, targets=(*codes, *wanted) if wanted else ())
    return {**parts[0], **joined, "tests": tested.tests(codes[0], ())}


def _text_data(config: Config, texts: Texts) -> tuple[Data, ...]:
    """The text that L-DAR fits its subspaces on, a part per language."""
    part = LAB_PART if is_lab(config.texts) else ""
    return tuple(find_data(config.texts, "text", code, part, config.text_limit) for code in texts.languages)


def _space(config: Config, model: Model, texts: Texts) -> Gather | None:
    """The moments by language of a pretrained model: one subspace for all conditions to be measured in."""
    if not config.drift_tokens:
        return None
    return Gather(
        model=model, data=config.texts, data_revision=texts.revision, languages=texts.languages,
        limit=config.text_limit, tokens=config.tokens, seed=config.seed, device=config.device, dtype="float32",
    )  # fmt: skip
