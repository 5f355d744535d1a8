"""The fine-tunings of L-DAR: the baseline, the same without dropout, and every layer set, subspace and alpha."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, get_args

from isogloss.bounds import Count, DeviceName, Limit, LimitOrZero, Name, Names, Seed, Seeds, SomeNames, Weights
from isogloss.corpora.labdata import is_lab
from isogloss.errors import IsoglossError, unknown_name
from isogloss.runs import Bench, Cell
from isogloss.studies.preserve.drifts import measure_drift, write_drift
from isogloss.studies.shared.gather import Gather
from isogloss.studies.shared.layer_sets import layer_sets
from isogloss.studies.shared.models import Model, name_model
from isogloss.studies.shared.setups import Setup, check_setups, depth_of
from isogloss.studies.shared.texts import LAB_PART, read_texts
from isogloss.transfer import Data, FineTune, TransferRecord, find_data
from isogloss.transfer.methods import LDAR, format_methods

Subspace = Literal["densray", "lda"]
BASELINE, STILL, REGULARISED = "baseline", "no dropout", "L-DAR"
NAMES = {"densray": "DensRay", "lda": "LDA"}


@dataclass(frozen=True)
class Config:
    """Which states are held where pretraining left them, how strongly, and in which fine-tunings.

    Each of ``sources`` is a fine-tuning: one language, or several joined with ``+``. ``layers`` are held together:
    all, fours, pairs, or layers themselves (``9-12``). The first of ``subspaces`` is tried on every set of layers, the
    others on the first set. Of ``alphas`` the one that is best on the validation part of the sources is taken.
    """

    model: Name = "lab:families"
    tasks: tuple[Setup, ...] = (Setup("pos"),)
    sources: SomeNames = ("qaa",)
    targets: Names = ()  # all languages of the test data, unless named
    layers: SomeNames = ("all", "fours")
    subspaces: tuple[Subspace, ...] = ("densray", "lda")
    alphas: Weights = (5e-3, 2e-2)
    dims: Count | None = None  # of the subspace; None: one more than there are languages
    weights: bool = True  # by shares of the eigenvalues
    control: bool = True  # the baseline without dropout, which L-DAR has none of
    texts: str = "lab:families"  # plain text of many languages, that subspaces are fitted on
    text_languages: Names = ()  # all that the text has, unless named
    text_limit: Limit = 2_000  # sentences a language
    tokens: Limit = 10_000  # a language, to fit on
    drift_tokens: LimitOrZero = 500  # a language, to measure how far states have moved; 0: not measured
    seeds: Seeds = (0,)
    seed: Seed = 0  # of the lab's model
    revision: str | None = None
    device: DeviceName = "auto"


@dataclass(frozen=True)
class Preserving(FineTune):
    """A fine-tuning whose folder also says how far the states of many languages have moved."""

    name: ClassVar[str] = "preserving"
    space: Gather | None = None  # of the pretrained model
    drift_tokens: int = 0

    def label(self) -> str:
        still = "" if self.settings.encoder_dropout else ", no dropout"
        return f"{self.task} from {'+'.join(self.sources)}, {self.method}{still}, seed {self.settings.seed}"

    def run(self, bench: Bench) -> TransferRecord:
        fitted = self.fit(bench)
        if self.space is not None:
            tested = {data.language for data in self.tests}
            write_drift(measure_drift(fitted, self.space, bench, self.drift_tokens, tested), bench.workspace)
        return self.evaluate(fitted, bench.workspace)


@dataclass(frozen=True)
class Variant:
    """What is held: nothing (baseline, and the same without dropout), or the subspace of some layers by ``alpha``."""

    condition: str
    method: str = "plain"
    layers: str = ""
    subspace: str = ""
    alpha: float = 0.0


@dataclass(frozen=True)
class Condition:
    """One fine-tuning of the plan."""

    setup: Setup
    source: str
    variant: Variant
    seed: int
    cell: Preserving


def plan(config: Config) -> Sequence[Cell[Any]]:
    return [condition.cell for condition in conditions(config)]


def conditions(config: Config) -> list[Condition]:
    """Tasks x sources x variants x seeds."""
    check(config)
    model = name_model(config.model, config.revision, config.seed)
    chosen = list(variants(config, depth_of(model, config.revision)))
    texts = find_texts(config)
    space = gather_space(config, model) if config.drift_tokens else None
    found = []
    for setup in (one.for_model(model) for one in config.tasks):
        for source in setup.sources or config.sources:
            fields = fields_of(setup, source, config)
            base = Preserving(model=model, space=space, drift_tokens=config.drift_tokens, **fields)
            for variant in chosen:
                settings = replace(base.settings, encoder_dropout=variant.condition != STILL)
                mine = replace(base, method=variant.method, texts=texts if variant.layers else ())
                found += [
                    Condition(setup, source, variant, seed, replace(mine, settings=replace(settings, seed=seed)))
                    for seed in config.seeds
                ]
    return found


def check(config: Config) -> None:
    """Refuse settings that leave nothing to compare."""
    check_setups(config.tasks)
    given = {"seeds": config.seeds, "sources": config.sources, "alphas": config.alphas, "subspaces": config.subspaces}
    for name, values in given.items():
        if not values:
            raise IsoglossError("nothing is given", where=f"setting '{name}'", remedy="give one or more")
    for kind in config.subspaces:
        if kind not in get_args(Subspace):
            raise unknown_name("subspace", kind, get_args(Subspace), where="setting 'subspaces'")
    if min(config.alphas) < 0:
        raise IsoglossError(f"alpha is {min(config.alphas):g}", where="setting 'alphas'", remedy="0 or more")


def variants(config: Config, depth: int) -> Iterator[Variant]:
    """The baseline, its control, and L-DAR by subspace, layers and alpha."""
    yield Variant(BASELINE)
    if config.control:
        yield Variant(STILL)
    first, *others = config.subspaces
    sets = layer_sets(config.layers, depth, "layers")
    held = [(first, layers) for layers in sets] + [(kind, sets[0]) for kind in others]
    for kind, layers in held:
        name = REGULARISED + ("" if kind == first else f" {NAMES[kind]}")
        name += "" if layers == "all" else f" layers {layers}"
        for alpha in dict.fromkeys(config.alphas):
            method = LDAR(alpha, layers, config.dims, kind, config.weights, config.tokens)
            yield Variant(name, format_methods((method,)), layers, kind, alpha)


def fields_of(setup: Setup, source: str, config: Config) -> dict[str, Any]:
    """What every fine-tuning from ``source`` is made of; several languages are put one after the other."""
    codes = [code.strip() for code in source.split("+") if code.strip()]
    if not codes:
        raise IsoglossError(f"'{source}' names no language", where="setting 'sources'", remedy="as in en or en+de+zh")
    parts = [setup.fields(code, config.device) for code in codes]
    joined = {name: tuple(data for part in parts for data in part[name]) for name in ("train", "validation")}
    wanted = setup.targets or config.targets
    tested = replace(setup, targets=(*codes, *wanted) if wanted else ())
    return {**parts[0], **joined, "tests": tested.tests(codes[0], ())}


def find_texts(config: Config) -> tuple[Data, ...]:
    """The text that L-DAR fits its subspaces on, a part a language."""
    languages = read_texts(config.texts, config.text_languages, config.text_limit).languages
    part = LAB_PART if is_lab(config.texts) else ""
    return tuple(find_data(config.texts, "text", code, part, config.text_limit) for code in languages)


def gather_space(config: Config, model: Model) -> Gather:
    """The moments by language of the pretrained model: one subspace for all conditions to be measured in."""
    texts = read_texts(config.texts, config.text_languages, config.text_limit)
    return Gather(
        model=model, data=config.texts, data_revision=texts.revision, languages=texts.languages,
        limit=config.text_limit, tokens=config.tokens, seed=config.seed, device=config.device, dtype="float32",
    )  # fmt: skip
