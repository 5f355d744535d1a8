"""The plan: for every couple of encoders what is measured on it, and the tasks that cross from one to the other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from isogloss.corpora import load_alignments
from isogloss.corpora.word_aligner import find_aligner
from isogloss.errors import IsoglossError
from isogloss.runs import Cell
from isogloss.studies.align.bridges import Bridges, WordLinks
from isogloss.studies.align.config import Config, check
from isogloss.studies.align.couples import AGAIN, APART, BILINGUAL, Cast, Couple, couples
from isogloss.studies.align.crossing import Crossing
from isogloss.studies.align.sentence_level import SentenceLevel
from isogloss.studies.align.texts import Bitext, Lexicon, find_bitexts, find_lexicon, find_sentences, find_vectors
from isogloss.studies.align.word_level import WordLevel
from isogloss.studies.shared.models import Model
from isogloss.studies.shared.setups import Setup, depth_of
from isogloss.transfer import FineTune, find_data
from isogloss.transfer.methods import TaskLayers, format_methods
from isogloss.transfer.methods.layers import read_layers


@dataclass(frozen=True)
class Crossed:
    """One training of task layers in the plan; ``kind`` says which encoders it is on."""

    kind: str
    setup: Setup
    layer: int
    seed: int
    targets: tuple[str, ...]
    cell: Crossing


@dataclass(frozen=True, eq=False)
class Plan:
    """All that a study measures."""

    couples: list[Couple]
    words: list[tuple[Couple, WordLevel]]
    sentences: list[tuple[Couple, SentenceLevel]]
    crossings: list[Crossed]

    @property
    def cells(self) -> list[Cell[Any]]:
        """Seed by seed, so that a run that is stopped has whole comparisons."""
        cells: list[tuple[int, Cell[Any]]] = [(couple.seed, cell) for couple, cell in self.words]
        cells += [(couple.seed, cell) for couple, cell in self.sentences]
        cells += [(crossing.seed, crossing.cell) for crossing in self.crossings]
        return [cell for _, cell in sorted(cells, key=lambda item: item[0])]


def plan(config: Config) -> Sequence[Cell[Any]]:
    return make_plan(config).cells


def make_plan(config: Config) -> Plan:
    """Couples of encoders x levels, and couples x tasks x layers x seeds."""
    check(config)
    found = couples(config)
    lexicons = {target: find_lexicon(config, target) for target in config.targets} if config.dictionary else {}
    texts = {target: find_bitexts(config, target) for target in config.targets} if config.parallel else {}
    if texts:
        texts[config.source] = texts[config.targets[0]]  # an encoder and its twin read one side of it
    apart = [couple for couple in found if couple.kind == APART]
    return Plan(
        couples=found,
        words=[(couple, _word_level(config, couple, lexicons[couple.target])) for couple in apart if lexicons],
        sentences=[(couple, _sentence_level(config, couple, *texts[couple.target])) for couple in found if texts],
        crossings=list(_crossings(config, found)) if config.tasks else [],
    )


def _word_level(config: Config, couple: Couple, lexicon: Lexicon) -> WordLevel:
    if not config.text:
        raise IsoglossError(
            "words need text to be read in",
            where="setting 'text'",
            remedy="name plain text, or leave the dictionary out",
        )
    pair = (config.source, couple.target)
    first, second = (find_data(config.text, "text", code, config.text_part, config.sentences) for code in pair)
    return WordLevel(
        source_model=couple.source_model,
        target_model=couple.target_model,
        texts=(first, second),
        lexicon=lexicon,
        vectors=(find_vectors(config, pair[0]), find_vectors(config, pair[1])),
        occurrences=config.occurrences,
        most_words=config.most_words,
        window=config.window,
        rounds=config.rounds,
        device=config.device,
    )


def _sentence_level(config: Config, couple: Couple, learnt: Bitext, tested: Bitext) -> SentenceLevel:
    return SentenceLevel(
        source_model=couple.source_model,
        target_model=couple.target_model,
        learnt=learnt,
        tested=tested,
        twin=couple.kind == AGAIN,
        sizes=tuple(sorted(config.sizes)),
        kinds=config.similarity,
        rounds=config.rounds,
        device=config.device,
    )


def _crossings(config: Config, found: Sequence[Couple]) -> Iterator[Crossed]:
    """Encoders trained apart share a training over all targets; a bilingual one has its own."""
    links = {target: _links(config, target) for target in config.targets}
    encoders = Cast(config).seeds
    for seed in config.seeds:
        mine = [couple for couple in found if couple.seed == (seed if seed in encoders else encoders[0])]
        apart = [couple for couple in mine if couple.kind == APART]
        groups = [apart, *([couple] for couple in mine if couple.kind == BILINGUAL)]
        for setup in config.tasks:
            for group in groups:
                bridges = tuple(_bridges(config, couple, links[couple.target]) for couple in group)
                yield from _on_layers(config, setup, seed, group, bridges)


def _on_layers(
    config: Config, setup: Setup, seed: int, group: Sequence[Couple], bridges: tuple[Bridges, ...]
) -> Iterator[Crossed]:
    model: Model = group[0].source_model
    targets = tuple(couple.target for couple in group)
    home, *abroad = replace(setup, targets=(), elsewhere={}).tests(config.source, targets)
    base = FineTune(model=model, tests=(home,), **setup.for_model(model).fields(config.source, config.device))
    settings = replace(base.settings, seed=seed)
    for layer in read_layers(config.layers, depth_of(model), lowest=0):
        method = format_methods((TaskLayers(layer=str(layer), count=config.task_layers),))
        cell = Crossing(
            training=replace(base, method=method, settings=settings),
            layer=layer,
            partners=tuple(couple.target_model for couple in group),
            bridges=bridges,
            abroad=tuple(abroad),
        )
        yield Crossed(group[0].kind, setup, layer, seed, targets, cell)


def _bridges(config: Config, couple: Couple, links: WordLinks) -> Bridges:
    return Bridges(couple.source_model, couple.target_model, links, config.rounds, config.device)


def _links(config: Config, target: str) -> WordLinks:
    if config.alignments:
        gold = load_alignments(config.alignments, config.source, target, config.aligned)
        return WordLinks(config.source, target, config.alignments, gold.revision, limit=config.aligned)
    tool = find_aligner(config.aligner)
    return WordLinks(
        config.source, target, sentences=find_sentences(config, target), aligner=tool, limit=config.aligned
    )
