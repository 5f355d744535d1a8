"""The fine-tunings of an ablation, with and without layers drawn anew, and the similarities after each."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

from isogloss.bounds import DeviceName, Limit, Name, Names, Seed, Seeds, SomeNames
from isogloss.encoders import Encoder
from isogloss.errors import IsoglossError, unknown_name
from isogloss.geometry.cka import KINDS
from isogloss.runs import Bench, Cell, key_of
from isogloss.studies.ablate.similarity import measure_similarity, write_similarity
from isogloss.studies.layer_sets import layer_sets
from isogloss.studies.models import Checkpoint, Model, name_model, open_model
from isogloss.studies.sentences import Sentences, find_sentences
from isogloss.studies.setups import Setup, check_setups, depth_of
from isogloss.transfer import FineTune, TransferRecord, Tuned, candidates
from isogloss.transfer.preset_files import load_preset

REFERENCE = "none"  # no layer drawn anew: the model as it is
Kind = Literal["linear", "rbf", "unbiased", "rbf-unbiased"]


@dataclass(frozen=True)
class Config:
    """Which layers of a model are drawn anew before fine-tuning, for which tasks, sources and seeds.

    ``sets``: pairs, singles, thirds, quarters, all, or layers themselves (``1-3``). ``similarity`` names the kinds of
    CKA; the first one is the one that figures show. ``search`` tries the grid of each task's preset on the source's
    validation part, for every set of layers anew, as the paper does.
    """

    model: Name = "lab:families"
    tasks: tuple[Setup, ...] = (Setup("pos"),)
    sources: SomeNames = ("qaa",)
    targets: Names = ()  # all languages of the test data, unless named
    sets: SomeNames = ("pairs", "all")
    parallel: str = "lab:families"  # empty: no similarities
    parallel_limit: Limit = 500
    similarity: tuple[Kind, ...] = ("linear", "unbiased")
    search: bool = False
    seeds: Seeds = (0,)
    seed: Seed = 0  # of the lab's model
    revision: str | None = None
    device: DeviceName = "auto"


@dataclass(frozen=True)
class Compared:
    """How many sentences were compared; the similarities are a table in the cell's folder."""

    sentences: int


@dataclass(frozen=True)
class Pretrained(Cell[Compared]):
    """Similarities in the model as it was pretrained."""

    name: ClassVar[str] = "similarity"
    record: ClassVar[type] = Compared
    model: Model = field(default_factory=lambda: Checkpoint(""))
    sentences: Sentences = field(default_factory=lambda: Sentences("", (), 0, ""))
    source: str = ""
    kinds: tuple[str, ...] = ("linear",)
    device: str = "auto"

    def label(self) -> str:
        return f"similarity with {self.source}, pretrained"

    def run(self, bench: Bench) -> Compared:
        text = self.sentences.read()
        encoder = open_model(self.model, bench, self.device, "float32")
        write_similarity(measure_similarity(encoder, text, self.source, self.kinds), bench.workspace)
        return Compared(len(text))


@dataclass(frozen=True)
class Ablation(FineTune):
    """A fine-tuning whose folder also has the similarities in the fine-tuned model."""

    name: ClassVar[str] = "ablation"
    sentences: Sentences | None = None
    kinds: tuple[str, ...] = ()

    def label(self) -> str:
        return f"{self.task} from {self.sources[0]}, {self.method}, seed {self.settings.seed}"

    def run(self, bench: Bench) -> TransferRecord:
        fitted = self.fit(bench)
        if self.sentences is not None and self.tests:  # candidates of a search have no tests
            encoder = Encoder.from_model(fitted.whole, fitted.reader.tokenizer)
            frame = measure_similarity(encoder, self.sentences.read(), self.sources[0], self.kinds)
            write_similarity(frame, bench.workspace)
        return self.evaluate(fitted, bench.workspace)


@dataclass(frozen=True)
class Condition:
    """One fine-tuning of the plan: which task and source, which layers were drawn anew, which seed."""

    setup: Setup
    source: str
    layers: str
    seed: int
    cell: Ablation | Tuned
    pretrained: Pretrained | None

    @cached_property
    def home(self) -> str:
        """The source language under the code of its data."""
        base = self.cell.candidates[0] if isinstance(self.cell, Tuned) else self.cell
        return base.sources[0]


def plan(config: Config) -> Sequence[Cell[Any]]:
    """All fine-tunings, and the similarities of the pretrained model."""
    found = conditions(config)
    before = {key_of(one): one for one in (condition.pretrained for condition in found) if one is not None}
    return [*before.values(), *(condition.cell for condition in found)]


def conditions(config: Config) -> list[Condition]:
    """Tasks x sources x sets of layers x seeds, the reference first."""
    check_setups(config.tasks)
    if not config.seeds:
        raise IsoglossError("no seed is given", where="setting 'seeds'", remedy="as in seeds: [0, 1, 2]")
    for kind in config.similarity:
        if kind not in KINDS:
            raise unknown_name("kind of CKA", kind, KINDS, where="setting 'similarity'")
    if config.parallel and not config.similarity:
        raise IsoglossError("no kind of CKA is given", where="setting 'similarity'", remedy="similarity: [linear]")
    model = name_model(config.model, config.revision, config.seed)
    sets = (REFERENCE, *layer_sets(config.sets, depth_of(model, config.revision)))
    found = []
    for setup in config.tasks:
        for source in setup.sources or config.sources:
            found += _from_source(config, setup, source, model, sets)
    return found


def _from_source(config: Config, setup: Setup, source: str, model: Model, sets: Sequence[str]) -> list[Condition]:
    tests = setup.tests(source, config.targets)
    base = Ablation(model=model, **setup.fields(source, config.device))
    home = base.sources[0]
    tested = [data.language for data in tests]
    sentences = find_sentences(config.parallel, config.parallel_limit, home, tested)
    before = Pretrained(model, sentences, home, config.similarity, config.device) if sentences else None
    found = []
    for layers in sets:
        method = "plain" if layers == REFERENCE else f"random-init:{layers}".removesuffix(":all")
        mine = replace(base, method=method, sentences=sentences, kinds=config.similarity if sentences else ())
        space = load_preset(setup.preset).search
        tried = candidates(mine, space) if config.search and space else ()
        for seed in config.seeds:
            cell: Ablation | Tuned = replace(mine, tests=tests, settings=replace(mine.settings, seed=seed))
            if tried:
                cell = Tuned(tried, tests, seed)
            found.append(Condition(setup, source, layers, seed, cell, before))
    return found
