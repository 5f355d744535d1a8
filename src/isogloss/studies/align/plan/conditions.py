"""Couples of encoders x levels, and couples x tasks x layers x seeds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from isogloss.corpora import load_alignments
from isogloss.corpora.word_aligner import find_aligner
from isogloss.errors import IsoglossError
from isogloss.studies.align.cells import inputs
from isogloss.studies.align.cells.inputs import Lexicon, find_vectors
from isogloss.studies.align.cells.sentences import SentenceLevel
from isogloss.studies.align.cells.task_transfer import Crossing
from isogloss.studies.align.cells.word_maps import Bridges, WordLinks
from isogloss.studies.align.cells.words import WordLevel
from isogloss.studies.align.config import Config
from isogloss.studies.align.plan.couples import AGAIN, APART, BILINGUAL, Couple, Encoders, couples
from isogloss.studies.plan import StudyPlan
from isogloss.studies.shared.models import read_as_deployed
from isogloss.studies.shared.pretraining import find_text
from isogloss.studies.shared.setups import Setup, check_setups, depth_of
from isogloss.transfer import FineTune
from isogloss.transfer.methods import TaskLayers, format_methods
from isogloss.transfer.methods.layers import read_layers

Text = inputs.Bitext | inputs.Rewordings


@dataclass(frozen=True)
class AlignCondition:
    """Two encoders, and what is measured of them."""

    couple: Couple
    words: WordLevel | None
    sentences: SentenceLevel | None

    @property
    def seed(self) -> int:
        return self.couple.seed


@dataclass(frozen=True)
class AlignTaskCondition:
    """Task layers learnt on one layer of the source's encoder and used on those of the targets, all of one kind."""

    couples: tuple[Couple, ...]
    setup: Setup
    layer: int
    seed: int
    cell: Crossing


def plan(config: Config) -> StudyPlan[Config, AlignCondition | AlignTaskCondition]:
    """Couples of encoders, then couples x tasks x layers; seed by seed, so that a stopped run has whole comparisons."""
    check(config)
    found = couples(config)
    measured = [one for one in _measured(config, found) if one.words or one.sentences]
    tasks = list(_crossings(config, found)) if config.tasks else []
    return StudyPlan(config, tuple(sorted((*measured, *tasks), key=lambda condition: condition.seed)))


def check(config: Config) -> None:
    """Refuse what cannot work, before anything is trained."""
    if config.source in config.targets:
        raise IsoglossError(
            f"'{config.source}' is both source and target", where="setting 'targets'", remedy="name another target"
        )
    if not 0 < config.share < 1:
        raise IsoglossError(f"share is {config.share}", where="setting 'share'", remedy="between 0 and 1")
    if (config.parallel or config.paraphrases) and (not config.sizes or min(config.sizes) < 2):
        raise IsoglossError("a map needs two sentences or more", where="setting 'sizes'", remedy="sizes: [200, 2000]")
    if (config.parallel or config.paraphrases) and not config.similarity:
        raise IsoglossError("no kind of CKA is named", where="setting 'similarity'", remedy="similarity: [unbiased]")
    if not (config.dictionary or config.parallel or config.paraphrases or config.tasks):
        raise IsoglossError(
            "nothing to measure",
            where="settings",
            remedy="give a dictionary, parallel text, paraphrases, or alignments and tasks",
        )
    if config.tasks:
        check_setups(config.tasks)
        if not config.alignments and not config.parallel:
            raise IsoglossError(
                "tasks need aligned words", where="setting 'alignments'", remedy="name gold alignments or parallel text"
            )


def _measured(config: Config, found: Sequence[Couple]) -> Iterator[AlignCondition]:
    """Words are compared where encoders of two languages were trained apart; sentences everywhere."""
    lexicons = {target: inputs.find_lexicon(config, target) for target in config.targets} if config.dictionary else {}
    texts: dict[str, tuple[Text, Text]] = {}
    if config.parallel:
        texts = {target: inputs.find_bitexts(config, target) for target in config.targets}
        texts[config.source] = texts[config.targets[0]]  # an encoder and its twin read one side of it
    if config.paraphrases:
        texts[inputs.reworded(config.source)] = inputs.find_rewordings(config)
    for couple in found:
        lexicon, pair = lexicons.get(couple.target), texts.get(couple.target)
        words = _word_level(config, couple, lexicon) if lexicon and couple.kind == APART else None
        yield AlignCondition(couple, words, _sentence_level(config, couple, *pair) if pair else None)


def _word_level(config: Config, couple: Couple, lexicon: Lexicon) -> WordLevel:
    if not config.text:
        raise IsoglossError(
            "words need text to be read in",
            where="setting 'text'",
            remedy="name plain text, or leave the dictionary out",
        )
    pair = (config.source, couple.target)
    first, second = (find_text(config.text, code, config.sentences, config.text_part) for code in pair)
    return WordLevel(
        couple.source_model, couple.target_model, (first, second), lexicon,
        vectors=(find_vectors(config, pair[0]), find_vectors(config, pair[1])), occurrences=config.occurrences,
        most_words=config.most_words, window=config.window, rounds=config.rounds, device=config.device,
    )  # fmt: skip


def _sentence_level(config: Config, couple: Couple, learnt: Text, tested: Text) -> SentenceLevel:
    return SentenceLevel(
        couple.source_model, couple.target_model, learnt, tested, twin=couple.kind == AGAIN,
        sizes=tuple(sorted(config.sizes)), kinds=config.similarity, rounds=config.rounds, device=config.device,
        compared=inputs.find_compared(config, couple.target),
        deployed=read_as_deployed(couple.source_model, couple.target_model),
    )  # fmt: skip


def _crossings(config: Config, found: Sequence[Couple]) -> Iterator[AlignTaskCondition]:
    """Encoders trained apart share a training over all targets; a bilingual one has its own."""
    links = {target: _links(config, target) for target in config.targets}
    encoders = Encoders(config).seeds
    for seed in config.seeds:
        own_seed = seed if seed in encoders else encoders[0]
        mine = [couple for couple in found if couple.seed == own_seed and couple.target in links]
        apart = [couple for couple in mine if couple.kind == APART]
        groups = [apart, *([couple] for couple in mine if couple.kind == BILINGUAL)]
        for setup in config.tasks:
            for group in groups:
                bridges = tuple(
                    Bridges(one.source_model, one.target_model, links[one.target], config.rounds, config.device)
                    for one in group
                )
                yield from _on_layers(config, setup, seed, group, bridges)


def _on_layers(
    config: Config, setup: Setup, seed: int, group: Sequence[Couple], bridges: tuple[Bridges, ...]
) -> Iterator[AlignTaskCondition]:
    model = group[0].source_model
    home, *abroad = replace(setup, targets=(), elsewhere={}).tests(config.source, [one.target for one in group])
    setup = setup.for_model(model)
    base = FineTune(model=model, tests=(home,), **setup.fields(config.source, config.device))
    settings = replace(base.settings, seed=seed)
    for layer in read_layers(config.layers, depth_of(model), lowest=0):
        method = format_methods((TaskLayers(layer=str(layer), count=config.task_layers),))
        training = replace(base, method=method, settings=settings)
        cell = Crossing(training, layer, tuple(couple.target_model for couple in group), bridges, tuple(abroad))
        yield AlignTaskCondition(tuple(group), setup, layer, seed, cell)


def _links(config: Config, target: str) -> WordLinks:
    if config.alignments:
        gold = load_alignments(config.alignments, config.source, target, config.aligned)
        return WordLinks(config.source, target, config.alignments, gold.revision, limit=config.aligned)
    tool, sentences = find_aligner(config.aligner), inputs.find_sentences(config, target)
    return WordLinks(config.source, target, sentences=sentences, aligner=tool, limit=config.aligned)
