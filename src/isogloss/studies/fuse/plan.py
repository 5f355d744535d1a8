"""The fine-tunings of a fusion study: a lower layer fused with the last, by layer, gate and branch; and its rivals."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from isogloss.corpora.parallel_sentences import find_sentences
from isogloss.errors import IsoglossError
from isogloss.studies.fuse.cells import DataSizes, Fusing
from isogloss.studies.fuse.config import Config, Gate
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.models import name_model, pretrained_with
from isogloss.studies.shared.setups import Setup, check_setups, depth_of
from isogloss.transfer.methods import Concatenation, Fusion, Method, ScalarMix, format_methods
from isogloss.transfer.methods.layers import read_layers

Branches = Literal["both", "global", "local"]
BASELINE = "baseline"
SUFFIX = {"both": "", "global": "_G", "local": "_L"}


@dataclass(frozen=True)
class FuseVariant:
    """What the head sees: the last layer (baseline), a fusion (``D_3``), or a rival of it."""

    condition: str
    method: str
    layer: int = 0  # that is fused; 0 for none
    gate: str = ""
    branches: str = ""


@dataclass(frozen=True)
class FuseCondition:
    """One fine-tuning of the plan, and the sizes of its data."""

    model: str
    depth: int  # layers of the model
    setup: Setup
    variant: FuseVariant
    seed: int
    cell: Fusing
    sizes: DataSizes

    @property
    def names(self) -> dict[str, Any]:
        """What tells it from the others in a frame."""
        told = {name: value for name, value in asdict(self.variant).items() if name != "method"}
        return {"model": self.model, "task": self.setup.label, **told, "seed": self.seed}


def plan(config: Config) -> StudyPlan[Config, FuseCondition]:
    """Models x tasks x variants x seeds, the baseline first."""
    check_setups(config.tasks)
    found = []
    for name in config.models:
        model = name_model(name, config.revision, config.seed)
        depth = depth_of(model)
        chosen = list(variants(config, depth))
        for setup in (one.for_model(model) for one in config.tasks):
            tests = setup.tests(config.source, config.targets)
            base = Fusing(model=model, tests=tests, **setup.fields(config.source, config.device))
            home, tested = base.sources[0], [data.language for data in tests]
            base = replace(base, sentences=find_sentences(config.parallel, config.parallel_limit, home, tested))
            sizes = DataSizes(base.train, base.validation, tuple(data for data in tests if setup.is_main(data.name)))
            for variant in chosen:
                for seed in config.seeds:
                    encoder = pretrained_with(model, seed) if config.vary_pretraining else model
                    settings = replace(base.settings, seed=seed)
                    cell = replace(base, model=encoder, method=variant.method, settings=settings)
                    found.append(FuseCondition(name, depth, setup, variant, seed, cell, sizes))
    return StudyPlan(config, tuple(found))


def variants(config: Config, depth: int) -> Iterator[FuseVariant]:
    """The baseline, D_1 to D_last by both gates, the branches of some, and rivals."""
    yield FuseVariant(BASELINE, "plain")
    layers = read_layers(config.layers, depth)
    for gate in config.gates:
        for layer in layers:
            yield _fusion(layer, gate, "both", first=gate == config.gates[0])
    for layer in ablated_layers(config, depth):
        yield from (_fusion(layer, config.gates[0], kind, first=True) for kind in ("global", "local"))
    if config.rivals:
        yield FuseVariant("scalar mix", _written(ScalarMix()))
        for layer in ablated_layers(config, depth):
            yield FuseVariant(f"concatenation {layer}+{depth}", _written(Concatenation(f"{layer},{depth}")), layer)


def ablated_layers(config: Config, depth: int) -> tuple[int, ...]:
    """The layers whose branches are taken apart."""
    named = config.ablated if config.ablated is not None else (depth - 1, depth // 2)
    outside = [layer for layer in named if not 1 <= layer <= depth]
    if config.ablated is not None and outside:
        raise IsoglossError(f"there is no layer {outside[0]}", where="setting 'ablated'", remedy=f"1 to {depth}")
    return tuple(dict.fromkeys(layer for layer in named if 1 <= layer < depth))


def _fusion(layer: int, gate: Gate, branches: Branches, *, first: bool) -> FuseVariant:
    name = f"D_{layer}{SUFFIX[branches]}" + ("" if first else f" {gate}")
    method = Fusion(layer=str(layer), gate=gate, branches=branches)
    return FuseVariant(name, _written(method), layer, gate, branches)


def _written(method: Method) -> str:
    return format_methods((method,))
