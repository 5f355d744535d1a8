"""The fine-tunings of a fusion study: a lower layer fused with the last, by layer, gate and branch; and its rivals."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, get_args

from isogloss.bounds import DeviceName, LayerNumber, Limit, Name, Names, Seed, Seeds, SomeNames
from isogloss.errors import IsoglossError, unknown_name
from isogloss.runs import Cell
from isogloss.runs.cells import Bench
from isogloss.studies.fuse.cosines import measure_cosines, write_cosines
from isogloss.studies.shared.models import name_model
from isogloss.studies.shared.sentences import Sentences, find_sentences
from isogloss.studies.shared.setups import Setup, check_setups, depth_of
from isogloss.transfer import FineTune, TransferRecord
from isogloss.transfer.methods import Concatenation, Fusion, Method, ScalarMix, format_methods
from isogloss.transfer.methods.layers import read_layers

Gate = Literal["literal", "gate"]
Branches = Literal["both", "global", "local"]
BASELINE = "baseline"
SUFFIX = {"both": "", "global": "_G", "local": "_L"}


@dataclass(frozen=True)
class Config:
    """Which layers are fused with the last one, in which models, for which tasks, and what they are compared with.

    ``gates``: ``literal`` is the papers' equations as they stand, ``gate`` the plain sigmoid; the first is the one that
    tables show, the other stands beside it. ``ablated`` are the layers whose two branches are also both global and
    both local, and that are also simply put beside the last one; by default the one below the last, and the middle.
    """

    models: SomeNames = ("lab:families",)
    tasks: tuple[Setup, ...] = (Setup("pos"),)
    source: Name = "qaa"
    targets: Names = ()  # all languages of the test data, unless named
    layers: str = "all"  # fused with the last one; the last one itself is the control
    gates: tuple[Gate, ...] = ("literal", "gate")
    ablated: tuple[LayerNumber, ...] | None = None
    rivals: bool = True  # scalar mix and concatenation
    parallel: str = "lab:families"  # empty: no cosines
    parallel_limit: Limit = 500
    families: dict[str, str] = field(default_factory=dict)  # of languages; the lab's or WALS's unless named
    seeds: Seeds = (0,)
    seed: Seed = 0  # of the lab's model
    revision: str | None = None
    device: DeviceName = "auto"


@dataclass(frozen=True)
class Fusing(FineTune):
    """A fine-tuning whose folder also has the cosines of parallel sentences, as the head sees them, and the gates."""

    name: ClassVar[str] = "fusing"
    version: ClassVar[int] = 2  # the gates are in its folder too
    sentences: Sentences | None = None

    def label(self) -> str:
        return f"{self.task} from {self.sources[0]}, {self.method}, seed {self.settings.seed}"

    def run(self, bench: Bench) -> TransferRecord:
        fitted = self.fit(bench)
        if self.sentences is not None:
            write_cosines(measure_cosines(fitted, self.sentences.read(), self.sources[0]), bench.workspace)
        return self.evaluate(fitted, bench.workspace)


@dataclass(frozen=True)
class Variant:
    """What the head sees: the last layer (baseline), a fusion (``D_3``), or a rival of it."""

    name: str
    method: str
    layer: int = 0  # that is fused; 0 for none
    gate: str = ""
    branches: str = ""


@dataclass(frozen=True)
class Condition:
    """One fine-tuning of the plan."""

    model: str
    setup: Setup
    variant: Variant
    seed: int
    cell: Fusing

    @property
    def home(self) -> str:
        return self.cell.sources[0]


def plan(config: Config) -> Sequence[Cell[Any]]:
    return [condition.cell for condition in conditions(config)]


def conditions(config: Config) -> list[Condition]:
    """Models x tasks x variants x seeds."""
    check_setups(config.tasks)
    for what, given in (("model", config.models), ("seed", config.seeds), ("gate", config.gates)):
        if not given:
            raise IsoglossError(f"no {what} is given", where=f"setting '{what}s'")
    for gate in config.gates:
        if gate not in get_args(Gate):
            raise unknown_name("reading of the gate", gate, get_args(Gate), where="setting 'gates'")
    found = []
    for name in config.models:
        model = name_model(name, config.revision, config.seed)
        chosen = list(variants(config, depth_of(model, config.revision)))
        for setup in (one.for_model(model) for one in config.tasks):
            tests = setup.tests(config.source, config.targets)
            base = Fusing(model=model, **setup.fields(config.source, config.device))
            tested = [data.language for data in tests]
            sentences = find_sentences(config.parallel, config.parallel_limit, base.sources[0], tested)
            base = replace(base, tests=tests, sentences=sentences)
            for variant in chosen:
                mine = replace(base, method=variant.method)
                found += [
                    Condition(name, setup, variant, seed, replace(mine, settings=replace(mine.settings, seed=seed)))
                    for seed in config.seeds
                ]
    return found


def variants(config: Config, depth: int) -> Iterator[Variant]:
    """The baseline, D_1 to D_last by both gates, the branches of some, and rivals."""
    yield Variant(BASELINE, "plain")
    layers = read_layers(config.layers, depth)
    for gate in config.gates:
        for layer in layers:
            yield _fusion(layer, gate, "both", first=gate == config.gates[0])
    for layer in ablated_layers(config, depth):
        yield from (_fusion(layer, config.gates[0], kind, first=True) for kind in ("global", "local"))
    if config.rivals:
        yield Variant("scalar mix", _written(ScalarMix()))
        for layer in ablated_layers(config, depth):
            yield Variant(f"concatenation {layer}+{depth}", _written(Concatenation(f"{layer},{depth}")), layer)


def ablated_layers(config: Config, depth: int) -> tuple[int, ...]:
    """The layers whose branches are taken apart."""
    named = config.ablated if config.ablated is not None else (depth - 1, depth // 2)
    outside = [layer for layer in named if not 1 <= layer <= depth]
    if config.ablated is not None and outside:
        raise IsoglossError(f"there is no layer {outside[0]}", where="setting 'ablated'", remedy=f"1 to {depth}")
    return tuple(dict.fromkeys(layer for layer in named if 1 <= layer < depth))


def _fusion(layer: int, gate: Gate, branches: Branches, *, first: bool) -> Variant:
    name = f"D_{layer}{SUFFIX[branches]}" + ("" if first else f" {gate}")
    method = Fusion(layer=str(layer), gate=gate, branches=branches)
    return Variant(name, _written(method), layer, gate, branches)


def _written(method: Method) -> str:
    return format_methods((method,))
